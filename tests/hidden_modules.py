"""Environments with less in them: a program in which the modules of some extras cannot be found."""

from blockfeat._extras import modules_by_extra


def beyond(*extras: str) -> tuple[str, ...]:
    """Return the modules that an install of these extras does not have."""
    there = {module for extra in extras for module in modules_by_extra()[extra]}
    return tuple(sorted({module for modules in modules_by_extra().values() for module in modules} - there))


def hiding(*modules: str) -> str:
    """Return the first lines of a program, which make that these modules are not found."""
    return f"import sys\nsys.modules.update(dict.fromkeys({modules!r}))\n"
