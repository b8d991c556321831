"""blockfeat finds the main text of a web page, in any language, and can say why."""

from blockfeat import errors as errors
from blockfeat._lazy import lazy_names
from blockfeat._moved import find_moved_modules
from blockfeat.compiled import uncompiled_modules

__version__ = "0.3.0"

if uncompiled_modules():
    from blockfeat._cython_names import provide

    provide()

find_moved_modules()
__getattr__, __dir__ = lazy_names(__name__, __file__)
