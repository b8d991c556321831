"""Conversion of public corpora, in the layouts in which they are published, to labelled pages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from blockfeat._files import check_suffix, parse_object, read_lines, stem
from blockfeat.data.corpus import LabelledPage, page_from_record
from blockfeat.errors import CorpusError
from blockfeat.io.inputs.options import parse_names

FIELDS = (
    *("id", "html", "text", "text2", "lang", "url", "with", "without"),
    *("page_type", "title", "author", "date", "publisher"),
)
"""Fields of the corpus format that a mapping for the layout ``jsonl`` may name."""

_HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_TEXT_SUFFIXES = frozenset({".txt"})

_WRAPPER = re.compile(r"\s{0,1000}<text\b([^<>]{0,2000})>", re.IGNORECASE)
_WRAPPER_END = re.compile(r"</text>\s{0,1000}\Z", re.IGNORECASE)
_WRAPPER_ENCODING = re.compile(rb"<text\b[^<>]{0,2000}?\bencoding\s{0,9}=\s{0,9}[\"']?([\w.:+-]{1,40})", re.I)
_GOLD_URL = re.compile(r"\s*URL:[ \t]*(\S*)[^\n]*\n?", re.IGNORECASE)
_GOLD_MARKER = re.compile(r"^[ \t]*<[hpl]>[ \t]*", re.IGNORECASE | re.MULTILINE)
_OTHER_MARKER = re.compile(r"</?[hpl]>", re.IGNORECASE)


def convert(
    source: str | PathLike[str],
    layout: str,
    lang: str | None = None,
    *,
    gold: str | PathLike[str] | None = None,
    fields: Mapping[str, str] | None = None,
    problems: list[str] | None = None,
) -> Iterator[LabelledPage]:
    """Yield the labelled pages of a corpus in one of the layouts in which corpora are published.

    Parameters
    ----------
    source : str or path
        A folder, or for ``jsonl`` a file.
    layout : str
        ``"folders"``
            Pages (``.html``, ``.htm``, ``.xhtml``) and gold texts (``.txt``) with equal names, in two folders
            side by side below `source`, or together in one. The id is the path within that folder, without
            the suffix.
        ``"cleaneval"``
            As published for CleanEval 2007: ``N.html`` with ``N-cleaned.txt`` or, if that is missing, ``N.txt``.
            The element ``<text …>`` around a page is removed; its ``encoding`` is used to decode the page. In the
            gold text, the line ``URL: …`` is taken as the page's address, and the marks ``<h>``, ``<p>`` and
            ``<l>`` are replaced by paragraph breaks.
        ``"jsonl"``
            One JSON object a line (``.jsonl``, ``.jsonl.gz``, ``.jsonl.xz``), with fields of other names.
    lang : str, optional
        Language of the pages whose record has none.
    gold : str or path, optional
        Folder of the gold texts, if it is not below `source`; files are then paired by their paths within each folder.
    fields : mapping, optional
        For ``jsonl``: the file's field names by the names in `FIELDS`, such as ``{"html": "body"}``; other fields have
        the names in `FIELDS`. The id of a record without one is its line number; an id that is a number becomes text.
    problems : list of str, optional
        A message is appended for each file or line that cannot be used (a page without gold, gold without a page, a
        bad record), and the rest is converted. Without this list, problems raise an error.

    Yields
    ------
    LabelledPage
        In the order of their names, or of the lines. ``corpus`` is the name of folder or file.

    Raises
    ------
    CorpusError
        If the layout or a field is unknown, the source is missing or holds no pages; and for problems, with
        the first and the number of others, where `problems` is not given.
    """
    if layout not in LAYOUTS:
        raise CorpusError(f"unknown layout {layout!r}: there are {', '.join(LAYOUTS)}")
    if fields is not None and layout != "jsonl":
        raise CorpusError(f"a mapping of fields goes with the layout 'jsonl', not {layout!r}")
    if gold is not None and layout == "jsonl":
        raise CorpusError("a folder of gold texts does not go with the layout 'jsonl'")
    place = Path(source)
    if not place.exists():
        raise CorpusError(f"{place}: there is no such file or folder")
    if layout == "jsonl":
        check_suffix(place)
        fields = fields or {}
        if unknown := sorted(set(fields) - set(FIELDS)):
            raise CorpusError(f"mapping of fields: {', '.join(unknown)} unknown; there are {', '.join(FIELDS)}")
        return _convert_lines(place, lang, dict(fields), problems)
    return _convert_folders(place, Path(gold) if gold is not None else None, layout, lang, problems)


def parse_fields(text: str) -> dict[str, str]:
    """Parse a mapping of fields for `convert`, such as ``"html=body,text=content"``.

    Raises
    ------
    CorpusError
        If a part is not ``name=name``, its first name is not one of `FIELDS`, or comes twice.
    """
    return parse_names(text, FIELDS, CorpusError)


def _convert_lines(
    path: Path, lang: str | None, fields: Mapping[str, str], problems: list[str] | None
) -> Iterator[LabelledPage]:
    first_lines: dict[str, int] = {}
    for number, line in read_lines(path):
        try:
            page = page_from_record(_renamed(parse_object(line), fields, number), corpus=stem(path))
            first = first_lines.setdefault(page.id, number)
            if first != number:
                raise CorpusError(f"id {page.id!r} is already on line {first}")
        except CorpusError as error:
            _report([f"{path}, line {number}: {error}"], problems)
            continue
        yield replace(page, lang=page.lang or lang)


def _renamed(record: dict[str, Any], fields: Mapping[str, str], number: int) -> dict[str, Any]:
    """Return the record with the field names of the corpus format, and an id."""
    renamed = {name: record.get(fields.get(name, name)) for name in FIELDS}
    identity = number if renamed["id"] in (None, "") else renamed["id"]
    return renamed | {"id": str(identity) if type(identity) is int else identity}


def _convert_folders(
    source: Path, gold: Path | None, layout: str, lang: str | None, problems: list[str] | None
) -> Iterator[LabelledPage]:
    for folder in (source, gold):
        if folder is not None and not folder.is_dir():
            raise CorpusError(f"{folder}: not a folder")
    pairs, unpaired = _paired(source, gold, "-cleaned" if layout == "cleaneval" else "")
    _report(unpaired, problems)
    read = _read_cleaneval if layout == "cleaneval" else _read_plain
    for pair in pairs:
        try:
            page = read(*pair)
        except OSError as error:
            _report([f"{pair[1]}: cannot be read with its gold: {error}"], problems)
            continue
        yield replace(page, lang=lang, corpus=source.resolve().name)


def _report(found: list[str], problems: list[str] | None) -> None:
    """Append problems to the caller's list, or raise an error for the first if there is no list."""
    if problems is not None:
        problems.extend(found)
    elif found:
        raise CorpusError(f"{found[0]}{f'; and {len(found) - 1} problems more' if len(found) > 1 else ''}")


def _paired(source: Path, gold: Path | None, suffix: str) -> tuple[list[Any], list[str]]:
    """Return id, HTML file and file of the gold text of each page, by id, and a message for each file left unpaired.

    Names of gold texts may end in the suffix.
    """
    pages = _files(source, _HTML_SUFFIXES)
    texts = _files(gold or source, _TEXT_SUFFIXES)
    if not pages:
        raise CorpusError(f"{source}: no page (.html, .htm, .xhtml) in this folder")
    if not texts:
        raise CorpusError(f"{gold or source}: no gold text (.txt) in this folder")
    page_root, text_root = (source, gold) if gold is not None else _roots(source, pages, texts)
    messages: list[str] = []
    page_of = _by_name(pages, page_root, str, messages)
    text_of = _by_name(texts, text_root, lambda name: name.removesuffix(suffix), messages)
    messages += [f"{page_of[key]}: page without gold text" for key in sorted(page_of.keys() - text_of.keys())]
    messages += [f"{text_of[key]}: gold text without page" for key in sorted(text_of.keys() - page_of.keys())]
    both = sorted(page_of.keys() & text_of.keys())
    return [(key, page_of[key], text_of[key]) for key in both], messages


def _files(folder: Path, suffixes: frozenset[str]) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in suffixes and path.is_file())


def _roots(source: Path, pages: list[Path], texts: list[Path]) -> tuple[Path, Path]:
    """Return the root folders of pages and of gold texts: files are paired by their paths below these."""
    page_tops, text_tops = (
        {path.relative_to(source).parts[0] if path.parent != source else "" for path in paths}
        for paths in (pages, texts)
    )
    if page_tops & text_tops:
        return source, source
    if len(page_tops) == 1 and len(text_tops) == 1:
        return source / page_tops.pop(), source / text_tops.pop()
    raise CorpusError(
        f"{source}: which folder holds the gold of which pages is not clear "
        f"(pages in {_listed(page_tops)}; texts in {_listed(text_tops)}); name both folders"
    )


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(name or "." for name in names))


def _by_name(paths: list[Path], root: Path, name: Callable[[str], str], messages: list[str]) -> dict[str, Path]:
    """Return the files by path below the root, without suffix; add a message for a second file of the same path."""
    candidates: defaultdict[str, list[tuple[bool, Path]]] = defaultdict(list)
    for path in paths:
        plain = path.relative_to(root).with_suffix("").as_posix()
        candidates[name(plain)].append((name(plain) == plain, path))  # N-cleaned sorts before N
    for found in candidates.values():
        found.sort()
        (rank, first), rest = found[0], found[1:]
        messages += [f"{path}: has the same name as {first.name}" for other, path in rest if other == rank]
    return {key: found[0][1] for key, found in candidates.items()}


def _decoded(path: Path, charset: str | None = None) -> str:
    from blockfeat.page.encoding import decode

    return decode(path.read_bytes(), charset).text


def _read_plain(id: str, page: Path, gold: Path) -> LabelledPage:
    return LabelledPage(id, _decoded(page), _decoded(gold).strip())


def _read_cleaneval(id: str, page: Path, gold: Path) -> LabelledPage:
    match = _WRAPPER_ENCODING.search(page.read_bytes()[:4096])
    html = _decoded(page, match.group(1).decode("ascii") if match else None)
    wrapper = _WRAPPER.match(html)
    if wrapper:
        html = html[wrapper.end() :]
        end = _WRAPPER_END.search(html, max(0, len(html) - 2000))
        html = html[: end.start()] if end else html
    text = _decoded(gold).replace("\r\n", "\n").replace("\r", "\n")
    url = _GOLD_URL.match(text)
    text = _OTHER_MARKER.sub("", _GOLD_MARKER.sub("\n", text[url.end() :] if url else text))
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return LabelledPage(id, html.strip(), text, url=(url.group(1) or None) if url else None)


LAYOUTS = ("folders", "cleaneval", "jsonl")
"""Layouts that `convert` reads."""
