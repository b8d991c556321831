"""Build the compiled modules that ``blockfeat/compiled.py`` lists; all else about the package stands in pyproject.toml.

Each is plain Python that Cython can compile (pure Python mode); what they share of Cython is one module more.
Where something fails, as there is no C compiler, the install goes on, the same source runs uncompiled, and a wheel
without a compiled module is tagged as one for every platform. ``BLOCKFEAT_BOUNDSCHECK=1`` compiles with checked array
indices, for fuzzing; ``BLOCKFEAT_COMPILE=0`` compiles nothing; ``BLOCKFEAT_JOBS`` sets how many compile at a time.
``BLOCKFEAT_REPOSITORY`` is the address of the code, from which the links of the metadata and of its README are made.
"""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path

from Cython.Build import cythonize
from Cython.Build.SharedModule import generate_shared_module
from Cython.Compiler.Main import CompilationOptions
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

_LISTS = runpy.run_path("blockfeat/compiled.py")
COMPILED_MODULES: tuple[str, ...] = _LISTS["COMPILED_MODULES"]
SHARED_MODULE: str = _LISTS["SHARED_MODULE"]
IS_CHECKED = os.environ.get("BLOCKFEAT_BOUNDSCHECK") == "1"
BUILD_DIR = Path("build/checked" if IS_CHECKED else "build/cython")
JOBS = int(os.environ.get("BLOCKFEAT_JOBS") or os.cpu_count() or 1)
OPTIONS = [] if os.name == "nt" else ["-O3", "-fwrapv", "-g0"]
DIRECTIVES = {
    "boundscheck": IS_CHECKED,
    "cdivision": True,
    "initializedcheck": IS_CHECKED,
    "language_level": 3,
    "wraparound": False,
}


class BuildInParallel(build_ext):
    """Compile several modules at a time; leave those out whose shared module did not compile."""

    def finalize_options(self) -> None:
        """Take the number of processors where no number is given."""
        super().finalize_options()
        self.parallel = self.parallel or JOBS

    def build_extensions(self) -> None:
        """Compile the shared module first: where that fails, none of the others could be imported."""
        shared, others = self.extensions[:1], self.extensions[1:]
        self.extensions = shared
        super().build_extensions()
        if self._is_built(shared[0]):
            self.extensions = others
            super().build_extensions()
        self.extensions = [extension for extension in (*shared, *others) if self._is_built(extension)]

    def _is_built(self, extension: Extension) -> bool:
        return Path(self.get_ext_fullpath(extension.name)).exists()


class PureWhereUncompiled(bdist_wheel):
    """Tag a wheel without any compiled module as one for every platform."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tag, once it is known what was compiled."""
        self.root_is_pure = not any(Path(self.bdist_dir).rglob("*.so")) and not any(Path(self.bdist_dir).rglob("*.pyd"))
        return super().get_tag()


def _extensions() -> list[Extension]:
    """Return the shared module and the compiled ones; ``optional`` lets an install go on where one does not compile."""
    shared = _shared_extension()
    modules = cythonize(
        [_extension(name, f"{name.replace('.', '/')}.py") for name in COMPILED_MODULES],
        build_dir=str(BUILD_DIR),
        compiler_directives=DIRECTIVES,
        nthreads=JOBS,
        quiet=True,
        shared_utility_qualified_name=SHARED_MODULE,
    )
    for extension in (shared, *modules):
        extension.optional = True  # cythonize does not take it over
    return [shared, *modules]


def _extension(name: str, source: str) -> Extension:
    return Extension(name, [source], include_dirs=[str(Path(source).parent)], extra_compile_args=OPTIONS)


def _shared_extension() -> Extension:
    """Write the C source of what the modules share, and return its extension."""
    source = BUILD_DIR / f"{SHARED_MODULE.rpartition('.')[2]}.c"
    source.parent.mkdir(parents=True, exist_ok=True)
    if not source.exists():
        generate_shared_module(CompilationOptions(shared_c_file_path=str(source)))
    return _extension(SHARED_MODULE, str(source))


def _address() -> str:
    """Return the address of the code where that is set or stands in CITATION.cff, else nothing."""
    citation = Path("CITATION.cff")
    cited = re.search(r"(?m)^repository-code: *(\S+)", citation.read_text("utf-8") if citation.exists() else "")
    address = os.environ.get("BLOCKFEAT_REPOSITORY") or (cited[1] if cited else "")
    if address and not re.fullmatch(r"https://\S+[^/\s]", address):
        raise SystemExit(f"BLOCKFEAT_REPOSITORY is no address of the form https://host/owner/name: {address!r}")
    return address


def _readme(address: str) -> str:
    """Return README.md, its links to files led to the code: PyPI shows it beside nothing else."""
    text = Path("README.md").read_text("utf-8")
    if not address:
        return text
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?:)", rf"\g<1>{address}/raw/main/", text)
    return re.sub(r"(?<!!)(\[[^\]]*\]\()(?!https?:|#)", rf"\g<1>{address}/blob/main/", text)


def _links(address: str) -> dict[str, str]:
    """Return the links of the project, from the address of its code."""
    if not address:
        return {}
    return {
        "Source": address,
        "Documentation": f"{address}/blob/main/docs/index.md",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Issues": f"{address}/issues",
        "Security": f"{address}/blob/main/SECURITY.md",
    }


if __name__ == "__main__":  # processes that Cython starts import this file
    setup(
        project_urls=_links(_address()),
        long_description=_readme(_address()),
        long_description_content_type="text/markdown",
        ext_modules=_extensions() if os.environ.get("BLOCKFEAT_COMPILE") != "0" else [],
        cmdclass={"build_ext": BuildInParallel, "bdist_wheel": PureWhereUncompiled},
    )
