"""The other extractors that blockfeat is compared with, each called as in its own or a published benchmark."""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import which
from subprocess import PIPE, Popen
from typing import Any
from weakref import finalize

from blockfeat._files import bundled_table
from blockfeat.errors import InputError, MissingExtraError

_NO_ADDRESS = "https://page.example/article"
_LOGGERS = ("boilerpy3", "charset_normalizer", "goose3", "htmldate", "newspaper", "readability", "trafilatura")
_BODY = re.compile("<body", re.IGNORECASE)
OF_NODE = {"mozilla-readability": "@mozilla/readability", "defuddle": "defuddle"}
"""Packages of npm by the peers that a process of Node runs, whose time and memory are not measured."""
TO_INSTALL = f"pip install 'blockfeat[peers]'; where Node is, npm install {' '.join(OF_NODE.values())} jsdom"
"""How peers are installed; those of npm are found in ``node_modules`` of the current folder."""

PeerExtract = Callable[..., str]
"""Takes a page and, optionally, ``lang`` and ``url``; returns its text, empty if there is none."""


@dataclass(frozen=True)
class Peer:
    """Another extractor; cheap to create and to send to another process: its package is only imported by `load`.

    Attributes
    ----------
    name : str
        Name of the peer and its mode, such as ``"trafilatura"`` and ``"trafilatura-fast"``.
    package : str
        The package that contains it.
    version : str
        The installed version.
    make : callable
        Imports the package and returns the function that extracts.
    """

    name: str
    package: str
    version: str
    make: Callable[[], PeerExtract]

    def load(self) -> PeerExtract:
        """Import the package, silence its log messages and warnings, and return the function that extracts.

        Raises
        ------
        MissingExtraError
            The package, or one that it needs, cannot be imported.
        """
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self.make()
        except ImportError as error:
            raise MissingExtraError(f"peer {self.name}: {error}; {TO_INSTALL}") from error


def _turbohtml() -> PeerExtract:
    """Return turbohtml as its documentation has it: what it scores as the main content, written as text."""
    parse = import_module("turbohtml").parse
    return lambda html, lang=None, url=None: parse(html).main_text()


def _trafilatura(*, fast: bool) -> PeerExtract:
    """Return trafilatura as its ``tests/evaluate.py`` calls it: without comments, with tables."""
    found = partial(import_module("trafilatura").extract, fast=fast, include_comments=False, include_tables=True)
    return lambda html, lang=None, url=None: found(html, include_formatting=False) or ""


def _resiliparse() -> PeerExtract:
    """Return resiliparse as the benchmark of its author calls it (Bevendorff et al., SIGIR 2023)."""
    parse = import_module("resiliparse.parse.html").HTMLTree.parse
    main_text = partial(_text_of_markup(), main_content=True, comments=False, links=False)
    return lambda html, lang=None, url=None: main_text(parse(html))


def _readability() -> PeerExtract:
    """Return readability as Zyte's benchmark calls it, its markup converted by resiliparse in place of html_text."""
    document, text = import_module("readability").Document, _text_of_markup()
    return lambda html, lang=None, url=None: text(document(html).summary(html_partial=True))


def _text_of_markup() -> Callable[..., str]:
    """Return resiliparse's text of markup, without bullets and texts of pictures."""
    found = import_module("resiliparse.extract.html2text").extract_plain_text
    return partial(found, preserve_formatting=True, list_bullets=False, alt_texts=False)


def _justext() -> PeerExtract:
    """Return jusText as the benchmarks of Zyte and of Bevendorff et al. call it, with the stop list of the language.

    If the language is unknown or has no list, the words of all lists are used, as trafilatura does.
    """
    justext: Any = import_module("justext")
    name_of = bundled_table("blockfeat.training.evaluation", "stop_lists.toml")
    lists: dict[str | None, frozenset[str]] = {}

    def stop_list(lang: str | None) -> frozenset[str]:
        name = name_of.get(lang or "")
        if name not in lists:
            names = [name] if name else sorted(justext.get_stoplists())
            lists[name] = frozenset().union(*map(justext.get_stoplist, names))
        return lists[name]

    def extract(html: str, lang: str | None = None, url: str | None = None) -> str:
        paragraphs = justext.justext(html, stop_list(lang), 50, 200, 0.1, 0.2, 0.2, 200, True)
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)

    return extract


def _boilerpy3(extractor: str) -> PeerExtract:
    """Return boilerpy3 as Zyte's benchmark calls it; a body is added where old pages omit it, or nothing is read."""
    content = getattr(import_module("boilerpy3.extractors"), extractor)().get_content
    whole = "<html><body>{}</body></html>".format
    return lambda html, lang=None, url=None: content(html if _BODY.search(html) else whole(html)) or ""


def _newspaper4k() -> PeerExtract:
    """Return newspaper4k as its own evaluation calls it: with the page's URL, without images."""
    article = import_module("newspaper").Article

    def extract(html: str, lang: str | None = None, url: str | None = None) -> str:
        page = article(url or _NO_ADDRESS, fetch_images=False)
        page.fetch_images = lambda: None  # releases before 0.9.4 ask the network for their sizes nevertheless
        return page.download(input_html=html).parse().text or ""

    return extract


def _goose3() -> PeerExtract:
    """Return goose3 as ``tests/evaluate.py`` of trafilatura calls it: one Goose with its defaults."""
    goose = import_module("goose3").Goose()
    return lambda html, lang=None, url=None: goose.extract(raw_html=html).cleaned_text or ""


def _in_node(package: str) -> PeerExtract:
    """Return a function that has pages read by a process of Node; markup becomes text as that of readability does."""
    script = Path(__file__).with_name("in_node.mjs").read_text(encoding="utf-8")
    command = ["node", "--input-type=module", "--eval", script, package]
    process, text = Popen(command, stdin=PIPE, stdout=PIPE, encoding="utf-8"), _text_of_markup()

    def extract(html: str, lang: str | None = None, url: str | None = None) -> str:
        print(json.dumps([html, url or _NO_ADDRESS]), file=process.stdin, flush=True)
        answer = json.loads(process.stdout.readline() if process.stdout else "")
        if "error" in answer:
            raise InputError(answer["error"])
        return text(answer["content"])

    # It ends where its input is closed.
    finalize(extract, process.communicate)
    return extract


_PEERS: tuple[tuple[str, str, Callable[[], PeerExtract]], ...] = (
    ("turbohtml", "turbohtml", _turbohtml),
    ("resiliparse", "resiliparse", _resiliparse),
    ("trafilatura", "trafilatura", partial(_trafilatura, fast=False)),
    ("trafilatura-fast", "trafilatura", partial(_trafilatura, fast=True)),
    ("readability-lxml", "readability-lxml", _readability),
    ("justext", "jusText", _justext),
    ("boilerpy3-article", "boilerpy3", partial(_boilerpy3, "ArticleExtractor")),
    ("boilerpy3-default", "boilerpy3", partial(_boilerpy3, "DefaultExtractor")),
    ("boilerpy3-largest", "boilerpy3", partial(_boilerpy3, "LargestContentExtractor")),
    ("newspaper4k", "newspaper4k", _newspaper4k),
    ("goose3", "goose3", _goose3),
    *((name, package, partial(_in_node, package)) for name, package in OF_NODE.items()),
)

PEER_NAMES = tuple(name for name, _, _ in _PEERS)
"""All supported peers, the fastest first."""


def installed_peers() -> tuple[Peer, ...]:
    """Return the peers whose packages are installed, without importing them."""
    found = ((name, package, _version(package), make) for name, package, make in _PEERS)
    return tuple(Peer(name, package, number, make) for name, package, number, make in found if number)


def missing_peers() -> tuple[str, ...]:
    """Return the packages of peers that are not installed."""
    return tuple(dict.fromkeys(package for _, package, _ in _PEERS if not _version(package)))


def peers_named(names: Iterable[str]) -> tuple[Peer, ...]:
    """Return peers by name; ``"all"`` stands for those that are installed, ``"none"`` for none.

    Raises
    ------
    InputError
        There is no such peer.
    MissingExtraError
        A named peer is not installed.
    """
    installed = {peer.name: peer for peer in installed_peers()}
    chosen: dict[str, Peer] = {}
    for name in names:
        if name == "all":
            chosen |= installed
        elif name in installed:
            chosen[name] = installed[name]
        elif name in PEER_NAMES:
            raise MissingExtraError(f"peer {name!r} is not installed; {TO_INSTALL}")
        elif name != "none":
            raise InputError(f"unknown peer {name!r}; known are {', '.join(PEER_NAMES)}, all, none")
    return tuple(chosen.values())


def _version(package: str) -> str | None:
    if package in OF_NODE.values():
        file = Path("node_modules", package, "package.json")
        is_found = which("node") and file.is_file() and Path("node_modules/jsdom").is_dir()
        return str(json.loads(file.read_text(encoding="utf-8"))["version"]) if is_found else None
    try:
        return version(package)
    except PackageNotFoundError:
        return None
