"""How many examples hypothesis tries: so many in a full run, a fifth of them in `make test`."""

from hypothesis import settings

__all__ = ["examples"]

_BY_DEFAULT = 100


def examples(number: int) -> settings:
    """Return a decorator for some examples in a full run, and in step with the default of the profile in others."""
    return settings(max_examples=max(1, number * settings().max_examples // _BY_DEFAULT))
