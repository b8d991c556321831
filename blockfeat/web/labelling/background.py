"""Background threads of a session: a model ranks the open pages, and a model is trained on the labelled ones."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from blockfeat._extras import require_extra
from blockfeat.errors import BlockfeatError, MissingExtraError, TrainingError
from blockfeat.extraction import Extractor
from blockfeat.models import SiteModel, save_model
from blockfeat.web.labelling.curve import BEST, RULES, CurvePoint, LabelTraining
from blockfeat.web.labelling.pages import Suggester
from blockfeat.web.labelling.session import LabelSession

BASELINE = "thresholds"
"""The bundled model that a trained one is compared with."""


def model_file(output: Path, kind: str = BEST) -> Path:
    """Return where a model is written: ``labels.model.json``, or ``labels.site.json`` of rules, by ``labels.jsonl``."""
    return output.with_name(f"{output.name.removesuffix('.jsonl')}.{'site' if kind == RULES else 'model'}.json")


def training_lacks() -> str | None:
    """Return what has to be installed before a model can be trained; None where all of it is."""
    try:
        require_extra("train", what="training")
    except MissingExtraError as error:
        return str(error)
    return None


@dataclass(frozen=True)
class TrainingState:
    """State of a training.

    Attributes
    ----------
    phase : str
        ``"none"`` before the first one, ``"running"``, ``"done"``, ``"stopped"`` or ``"failed"``.
    kind : str
        The requested kind; while training runs, the kind that is tried.
    done, total : int
        Fits done and all fits.
    points : tuple of CurvePoint
        The learning curve so far.
    result : LabelTraining or None
        Result of the training.
    is_used : bool
        Whether the suggestions now come from the trained model.
    error : str or None
        Why training failed.
    """

    phase: str = "none"
    kind: str = ""
    done: int = 0
    total: int = 0
    points: tuple[CurvePoint, ...] = ()
    result: LabelTraining | None = None
    is_used: bool = False
    error: str | None = None


class Background:
    """Background threads of a session; to be closed before it.

    Parameters
    ----------
    session : LabelSession
        The session.
    configs : mapping of str to dataclass, optional
        Hyperparameters by kind, as for `blockfeat.web.labelling.learning.train_on_labels`.
    """

    def __init__(self, session: LabelSession, *, configs: Mapping[str, Any] | None = None) -> None:
        self.session = session
        self._configs = configs
        self._first = session.suggester
        self.state = TrainingState()
        """State of the latest training."""
        self._lock = Lock()
        self._stop_training = Event()
        self._stop_ranking = Event()
        self._is_closing = Event()
        self._threads: list[Thread] = []

    def close(self) -> None:
        """Stop all threads, and wait for them."""
        self._is_closing.set()
        self._stop_ranking.set()
        self._stop_training.set()
        self.wait()

    def wait(self) -> None:
        """Wait until no thread runs any more; a thread may start another one at its end."""
        while running := [thread for thread in self._threads if thread.is_alive()]:
            for thread in running:
                thread.join()

    def start_ranking(self) -> None:
        """Start a thread that ranks the open pages by the current model, so that the least certain come first."""
        self._stop_ranking.set()
        self._stop_ranking = stop = Event()
        # A training that ends while this is closed starts a ranking that nobody waits for.
        self._start("ranking", lambda: self.session.rank(stop=lambda: stop.is_set() or self._is_closing.is_set()))

    def start_training(self, kind: str) -> None:
        """Start a thread that trains a model of a kind on the labelled pages.

        Raises
        ------
        TrainingError
            A training is running.
        MissingExtraError
            The extra ``train`` is not installed; labelling goes on without it.
        """
        require_extra("train", what="training")
        with self._lock:
            if self.state.phase == "running":
                raise TrainingError("a training is running; stop it first, or wait for it")
            self.state = TrainingState("running", kind)
            self._stop_training.clear()
        self._start("training", lambda: self._train(kind))

    def stop_training(self) -> None:
        """Stop the training before its next fit."""
        self._stop_training.set()

    def _start(self, name: str, work: Callable[[], None]) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = Thread(target=work, name=f"blockfeat-{name}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _train(self, kind: str) -> None:
        """Train and write a model; use its suggestions where it is at least as good as the session's first one."""
        try:
            self.state = self._trained(kind)
        except (BlockfeatError, OSError) as error:
            phase = "stopped" if self._stop_training.is_set() else "failed"
            self.state = replace(self.state, phase=phase, error=str(error))
        except Exception as error:
            logging.getLogger("blockfeat.web.labelling.background").exception("training failed")
            self.state = replace(self.state, phase="failed", error=f"unexpected {type(error).__name__}: {error}")

    def _changes(self, after: Extractor) -> dict[str, tuple[int, int]]:
        """Return the open pages whose text is another by the new model: how many words go, and how many come."""
        found = {}
        for id in self.session.pages.ids:
            if self.session.state(id) != "open" or self._stop_training.is_set():
                continue
            page = self.session.pages.page(id)
            texts = [each.extract(page.html, url=page.url).text for each in (self._first.extractor, after)]
            before, now = (Counter(text.split()) for text in texts)
            if before != now:
                found[id] = ((before - now).total(), (now - before).total())
        return found

    def _trained(self, kind: str) -> TrainingState:
        from blockfeat.web.labelling.learning import learn_rules, train_on_labels  # needs the extra ``train``

        target = model_file(self.session.output, kind)
        name = target.name.removesuffix(".json")
        first = self._first.extractor
        others = {BASELINE: Extractor.load(BASELINE)}
        # A model of an earlier training in this session was trained on these pages: its score would be meaningless.
        if first.model.name != name:
            others.setdefault(first.model.name, first)

        def on_step(**step: Any) -> None:
            self.state = replace(self.state, **step)

        pages, stop = self.session.labelled_pages(), self._stop_training.is_set
        if kind == RULES:
            base = first.model.base.name if isinstance(first.model, SiteModel) else first.model.name
            found = learn_rules(pages, base=base, name=name, on_step=on_step, stop=stop)
            found = replace(found, changes=self._changes(Extractor.of(found.model)))
        else:
            found = train_on_labels(
                pages, kind=kind, others=others, configs=self._configs, name=name, on_step=on_step, stop=stop
            )
        save_model(found.model, target)
        trained = Suggester(Extractor.of(found.model))
        is_used = trained.table == self._first.table and found.f1 >= found.others.get(first.model.name, 0.0)
        self.session.use(trained if is_used else self._first)
        self.start_ranking()
        state = self.state
        return replace(state, phase="done", done=state.total, points=found.points, result=found, is_used=is_used)
