"""blockfeat finds the main text of a web page, in any language, and can say why."""

from blockfeat import errors as errors
from blockfeat._lazy import lazy_names
from blockfeat.compiled import provide_cython, uncompiled_modules

__version__ = "0.3.0"

if uncompiled_modules():
    provide_cython()

__getattr__, __dir__ = lazy_names(__name__, __file__)
