"""Build the compiled modules that ``blockfeat/compiled.py`` lists; all else about the package stands in pyproject.toml.

Each is plain Python that Cython can compile (pure Python mode). Where that fails, as there is no C compiler, the
install goes on and the same source runs uncompiled. ``BLOCKFEAT_BOUNDSCHECK=1`` compiles them with checked array
indices, for fuzzing.
"""

from __future__ import annotations

import os
import runpy

from Cython.Build import cythonize
from setuptools import Extension, setup

COMPILED_MODULES: tuple[str, ...] = runpy.run_path("blockfeat/compiled.py")["COMPILED_MODULES"]
IS_CHECKED = os.environ.get("BLOCKFEAT_BOUNDSCHECK") == "1"
DIRECTIVES = {
    "boundscheck": IS_CHECKED,
    "cdivision": True,
    "initializedcheck": IS_CHECKED,
    "language_level": 3,
    "wraparound": False,
}


def _extensions() -> list[Extension]:
    """Return the extension modules; ``optional`` lets an install go on where one does not compile."""
    options = [] if os.name == "nt" else ["-O3", "-fwrapv", "-g0"]
    extensions = cythonize(
        [Extension(name, [f"{name.replace('.', '/')}.py"], extra_compile_args=options) for name in COMPILED_MODULES],
        build_dir="build/checked" if IS_CHECKED else "build/cython",
        compiler_directives=DIRECTIVES,
        quiet=True,
    )
    for extension in extensions:
        extension.optional = True  # cythonize does not take it over
    return extensions


setup(ext_modules=_extensions())
