"""A labelling session: pages, the labels so far, the next page; every action is saved before it takes effect."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from types import TracebackType

from blockfeat._files import held_alone
from blockfeat.data import ROLES, BlockRoles, LabelledPage
from blockfeat.errors import BlockfeatError, CorpusError, InputError
from blockfeat.web.labelling.journal import Change, CorpusFile, Journal, PageLabels
from blockfeat.web.labelling.pages import CutPage, SessionPages, Suggester, text_of_roles

_PLACES = {"open": 0, "skipped": 1, "bad": 2, "done": 3}
_UNREAD = 2.0  # sorts after every page that was read


@dataclass(frozen=True)
class PageView:
    """One page as it is shown to the labeller.

    Attributes
    ----------
    cut : CutPage
        The page, its blocks and what the model suggests.
    state : str
        One of `blockfeat.web.labelling.journal.STATES`.
    marked : mapping of int to str
        The roles that the labeller gave, by block.
    warning : str or None
        Warning about this page for the labeller.
    """

    cut: CutPage
    state: str
    marked: Mapping[int, str]
    warning: str | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        """The role of each block: the labeller's, else the one that is suggested."""
        return tuple(self.marked.get(block, role) for block, role in enumerate(self.cut.suggestion.roles))


@dataclass(frozen=True)
class Progress:
    """Progress of a session: number of pages in all and by state."""

    pages: int
    done: int
    skipped: int
    bad: int
    left: int


class LabelSession(AbstractContextManager["LabelSession"]):
    """Labels pages; a context manager that locks the output file.

    Safe for use by several threads.

    Parameters
    ----------
    pages : SessionPages
        The pages.
    output : Path
        The corpus file; beside it stand the journal (``.journal``) and the lock (``.lock``).
    suggester : Suggester
        The model that suggests.

    Raises
    ------
    CorpusError
        Another session uses the output, or output or journal cannot be read.
    OutputError
        They cannot be written.
    """

    def __init__(self, pages: SessionPages, output: Path, suggester: Suggester) -> None:
        self.pages = pages
        self.output = output
        self.suggester = suggester
        """The model that suggests."""
        self._confidence: dict[str, float] = {}
        self._lock = RLock()
        self._latest: tuple[Suggester, CutPage] | None = None
        if not output.parent.is_dir():
            raise CorpusError(f"{output}: there is no folder {output.parent}")
        with ExitStack() as stack:
            try:
                stack.enter_context(held_alone(_beside(output, ".lock")))
            except BlockingIOError:
                raise CorpusError(f"{output}: another session of `blockfeat label` has this file") from None
            self._corpus = CorpusFile(output)
            self._journal = stack.enter_context(Journal(_beside(output, ".journal"), suggester.table))
            self._reconcile()
            self._open = stack.pop_all()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the files and free the lock."""
        self._open.close()

    # State

    @property
    def progress(self) -> Progress:
        """Number of pages in all and by state."""
        with self._lock:
            of = Counter(map(self._state, self.pages.ids))
            return Progress(of.total(), done=of["done"], skipped=of["skipped"], bad=of["bad"], left=of["open"])

    @property
    def can_undo(self) -> bool:
        """Whether there is an action to undo."""
        return self._journal.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether there is an action to redo."""
        return self._journal.can_redo

    def state(self, page: str) -> str:
        """Return the state of a page, one of `blockfeat.web.labelling.journal.STATES`."""
        with self._lock:
            return self._state(self._known(page))

    def confidence(self, page: str) -> float | None:
        """Return the expected word F1 of the current model on a page; None before `rank` has read the page."""
        return self._confidence.get(page)

    @property
    def order(self) -> list[str]:
        """Ids of the pages: open ones, least certain first and unread ones last; then skipped, bad and done ones."""

        def key(page: str) -> tuple[int, float]:
            place = _PLACES[self._state(page)]
            return place, 0.0 if place else self._confidence.get(page, _UNREAD)

        with self._lock:
            return sorted(self.pages.ids, key=key)

    def labelled_hosts(self) -> Counter[str]:
        """Return the number of labelled pages of each site."""
        with self._lock:
            return Counter(host for page, host in self.pages.hosts.items() if self._state(page) == "done")

    def labelled_pages(self) -> list[LabelledPage]:
        """Return the pages of the corpus file."""
        with self._lock:
            return list(self._corpus.pages())

    def view(self, page: str) -> PageView:
        """Cut a page and return it with its suggestions and labels.

        Raises
        ------
        InputError
            There is no such page.
        """
        cut = self._cut(page)
        with self._lock:
            return self._view(cut)

    def next_page(self, page: str | None = None, *, step: int = 1) -> str | None:
        """Return the id of the next page: the first open one, or the one ``step`` places after ``page`` in `order`.

        None where no page is open, or at an end of the order.
        """
        order = self.order
        if page is None:
            return next((id for id in order if self.state(id) == "open"), None)
        place = order.index(self._known(page)) + step
        return order[place] if 0 <= place < len(order) else None

    # Actions of the labeller

    def mark(self, page: str, blocks: Iterable[int], role: str | None) -> PageView:
        """Set the role of blocks of a page, or remove it with None; return the page after the change.

        Raises
        ------
        InputError
            There is no such page, block or role.
        """
        if role is not None and role not in ROLES:
            raise InputError(f"{role!r} is no role; known are {', '.join(ROLES)}")
        cut = self._cut(page)
        chosen, last = sorted(set(blocks)), len(cut.blocks) - 1
        if not chosen or chosen[0] < 0 or chosen[-1] > last:
            raise InputError(f"{page}: there are blocks from 0 to {last}, and at least one must be given")
        with self._lock:
            before = self._view(cut)
            changes = {block: role for block in chosen if before.marked.get(block) != role}
            # A page that was done and loses a role, or has changed, is open again.
            is_open_again = before.state == "done" and (role is None or before.warning is not None)
            if changes:
                state = "open" if is_open_again else None
                self._apply(Change(page, cut.cut, changes, state, time.time()), cut)
            return self._view(cut)

    def accept(self, page: str, *, has_content: bool = True) -> PageView:
        """Mark a page as done: blocks without a role get the suggested one; all are clutter of one without content."""
        cut = self._cut(page)
        with self._lock:
            before = self._view(cut)
            roles = {block: role for block, role in enumerate(before.roles) if block not in before.marked}
            if not has_content:
                roles = dict.fromkeys(range(len(cut.blocks)), "clutter")
            self._apply(Change(page, cut.cut, roles, "done", time.time()), cut)
            return self._view(cut)

    def set_aside(self, page: str, state: str) -> None:
        """Set the state of a page to put off (``"skipped"``), unusable (``"bad"``), or still to do (``"open"``).

        Raises
        ------
        InputError
            There is no such page, or the state is another.
        """
        if state not in ("skipped", "bad", "open"):
            raise InputError(f"a page cannot be set to {state!r}; known are skipped, bad, open")
        with self._lock:
            cut = self._journal.labels(self._known(page)).cut
            self._apply(Change(page, cut, {}, state, time.time()), None)

    def undo(self) -> str | None:
        """Undo the latest action, whatever page it was on; return the page, None where there is no action."""
        return self._moved(self._journal.undo)

    def redo(self) -> str | None:
        """Redo the action that was undone last; return its page, None where there is none."""
        return self._moved(self._journal.redo)

    def _moved(self, move: Callable[[], str | None]) -> str | None:
        with self._lock:
            if (page := move()) is not None:
                self._bring_up_to_date(page, None)
            return page

    # The model that suggests

    def use(self, suggester: Suggester) -> None:
        """Take suggestions from another model.

        Raises
        ------
        InputError
            It cuts pages by another tag table.
        """
        if suggester.table != self.suggester.table:
            raise InputError(f"the model cuts pages by {suggester.table!r}, the session by {self.suggester.table!r}")
        with self._lock:
            self.suggester, self._confidence = suggester, {}

    def rank(self, *, stop: Callable[[], bool] = bool, on_page: Callable[[int], None] = lambda done: None) -> None:
        """Compute the current model's confidence for all open pages, so that the least certain come first.

        Parameters
        ----------
        stop : callable
            Called before each page; True ends the ranking.
        on_page : callable
            Called after each page with the number of pages done.
        """
        suggester = self.suggester
        left = [id for id in self.pages.ids if self.state(id) == "open" and id not in self._confidence]
        for done, id in enumerate(left, start=1):
            if stop() or suggester is not self.suggester:
                return
            try:
                found = suggester(self.pages.page(id)).suggestion.confidence
            except BlockfeatError as error:
                logging.getLogger("blockfeat.web.labelling").info("%s: %s", id, error)
                found = 0.0
            with self._lock:
                if suggester is self.suggester:
                    self._confidence[id] = found
            on_page(done)

    # Files

    def _known(self, page: str) -> str:
        if page not in self.pages:
            raise InputError(f"{page!r}: there is no such page in the session")
        return page

    def _cut(self, page: str) -> CutPage:
        """Cut a page; the latest is cached, as a labeller marks many blocks of one page."""
        suggester, latest = self.suggester, self._latest
        if latest is not None and latest[0] is suggester and latest[1].page.id == page:
            return latest[1]
        cut = suggester(self.pages.page(self._known(page)))
        self._latest = (suggester, cut)
        return cut

    def _state(self, page: str) -> str:
        return self._journal.labels(page).state

    def _view(self, cut: CutPage) -> PageView:
        labels = self._journal.labels(cut.page.id)
        if labels.cut not in ("", cut.cut):
            warning = "the page has changed since it was labelled; its labels are kept until you accept it again"
            return PageView(cut, labels.state, {}, warning)
        return PageView(cut, labels.state, dict(labels.roles))

    def _apply(self, change: Change, cut: CutPage | None) -> None:
        """Write a change to the journal, then bring the corpus file up to date."""
        self._journal.apply(change)
        self._bring_up_to_date(change.page, cut)

    def _bring_up_to_date(self, page: str, cut: CutPage | None) -> None:
        """Update a page of the corpus file to its labels in the journal."""
        labels = self._journal.labels(page)
        written = self._corpus.roles(page)
        if labels.state != "done":
            # What the session did not write, such as a text from elsewhere, stays until the page is accepted; so do
            # labels of the page as it was before it changed.
            is_own = page in self._journal.finished
            if is_own and written is not None and labels.cut in ("", written.cut):
                self._corpus.remove(page)
            return
        is_written = written is not None and written.cut == labels.cut and _given(written) == labels.roles
        if page not in self.pages or is_written:
            return
        cut = cut or self._cut(page)
        if labels.cut != cut.cut:  # the page has changed: its entry in the file stays
            return
        self._corpus.put(_labelled_page(cut, labels, self._corpus.name))

    def _reconcile(self) -> None:
        """Write what the corpus file lacks after a crash; import labels of a file that has no journal."""
        for page in list(self._journal.pages):
            self._bring_up_to_date(page, None)
        for page in self._corpus.ids:
            roles = self._corpus.roles(page)
            if (
                page in self._journal.pages
                or page not in self.pages
                or roles is None
                or roles.table != self.suggester.table
            ):
                continue
            self._journal.apply(Change(page, roles.cut, _given(roles), "done", time.time(), is_given=True))


def _labelled_page(cut: CutPage, labels: PageLabels, corpus: str) -> LabelledPage:
    """Return a page with its gold text and roles."""
    roles = tuple(labels.roles.get(block) for block in range(len(cut.blocks)))
    return LabelledPage(
        id=cut.page.id,
        html=cut.page.html,
        text=text_of_roles(cut.blocks, roles),
        lang=cut.page.lang or cut.extraction.lang,
        url=cut.page.url,
        corpus=corpus,
        roles=BlockRoles(cut.blocks.table, cut.cut, roles),
    )


def _given(roles: BlockRoles) -> dict[int, str]:
    """Return the roles that blocks have in the file, by block."""
    return {block: role for block, role in enumerate(roles.blocks) if role is not None}


def _beside(output: Path, suffix: str) -> Path:
    return output.with_name(output.name + suffix)
