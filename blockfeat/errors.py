"""The exceptions of blockfeat, all derived from `BlockfeatError`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class BlockfeatError(Exception):
    """Base of every error that blockfeat raises on purpose; its message names the input and the reason."""


class InputError(BlockfeatError):
    """An input (a page, a file, an address) cannot be used."""


class InputTypeError(InputError, TypeError):
    """An argument is of a wrong type, or what should be a page is an address or a path."""


class NotHTML(InputError, ValueError):
    """The page is not HTML but of another format (PDF, JPEG, zip …), or random bytes."""


class LimitExceeded(InputError):
    """A limit of size, time or memory is exceeded."""


class FetchError(InputError):
    """An address cannot be fetched, or may not be."""


class AddressForbidden(FetchError):
    """None of the addresses of a host may be connected to."""


class FeedError(InputError):
    """A feed, a sitemap or a list of addresses cannot be read."""


class PageNotKept(BlockfeatError):
    """A pickled result is asked for what only its page has, which was not kept."""


class OutputError(BlockfeatError):
    """A file, a folder or standard output cannot be written; the message names it and the reason."""


class ResumeError(BlockfeatError):
    """An interrupted run cannot be continued: its output was made from other inputs, by another model or options."""


class ConfigError(BlockfeatError, ValueError):
    """A configuration cannot be used; the message has a line for each problem, with file and line number."""


class StoreError(OutputError):
    """A store cannot be opened, read or written, or another process uses it."""


class LanguageError(BlockfeatError, ValueError):
    """A language code is unknown, or there is no page or stop list in that language."""


class TableError(BlockfeatError, ValueError):
    """A tag table cannot be used; the message names the file and the line."""


class ModelError(BlockfeatError, ValueError):
    """A model file is missing, damaged, or was made for another table, feature set or segmentation."""


class CorpusError(BlockfeatError, ValueError):
    """A corpus file is missing, damaged, or has a bad record; the message names the file and the line."""


class BrandError(BlockfeatError, ValueError):
    """A brand or an export of names cannot be used; the message names the brand or the file, and the reason."""


class QueryError(BlockfeatError, ValueError):
    """A Boolean query or a CSS selector cannot be parsed; the message names it, and the reason."""


class TrainingError(BlockfeatError, ValueError):
    """Training cannot start or continue with these pages and options."""


class MissingExtraError(BlockfeatError, ImportError):
    """An optional package is missing; the message names the extra that installs it."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return, for a message, which of the known names may be meant by one that is not among them, else all of them."""
    from difflib import get_close_matches

    names = [*known]
    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names)}"


def how_many(count: int, noun: str) -> str:
    """Return a number with its noun for a message, such as "1 copy" and "2,000 copies"."""
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else several}"


def failure_reason(error: Exception) -> str:
    """Return why a page failed, for its result; an exception that is not blockfeat's own is prefixed by its type."""
    if isinstance(error, MemoryError):
        return "not enough memory"
    return str(error) if isinstance(error, BlockfeatError) else f"unexpected {type(error).__name__}: {error}"
