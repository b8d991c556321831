"""Commands on a monitor's results: counts, search, export, live page, failures, verdicts on mentions, rematching."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from blockfeat._extras import require_extra
from blockfeat._files import is_same_file, whole_file, write_text
from blockfeat.commands import console
from blockfeat.commands.options import AllowHostOption, HostOption, PortOption, QuietOption, TrustedProxyOption
from blockfeat.errors import QueryError, how_many

if TYPE_CHECKING:
    from socket import socket

    from blockfeat.monitor.config import MonitorConfig
    from blockfeat.monitor.store.store import Store


ConfigArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="Configuration file, or the store itself: monitor.db, postgresql://…")
]
_REASONS_SHOWN = 20
_SHOWN, _IN_JSON = 10, 1000
_LEAST_OF_A_PASSWORD = 8
_HEADS = ("mentions", "with copies", "with clutter", "with both", "articles", "articles with copies", "ruled out")


def _configured(name: str) -> MonitorConfig | None:
    """Return the configuration in a file; None where the store itself is named."""
    from blockfeat.monitor.config import read_config

    return read_config(name) if name.endswith(".toml") else None


@contextmanager
def opened_store(name: str, output: Path | None = None) -> Iterator[Store]:
    """Open the store of a configuration file, or a store that is named directly; it must exist, and be no output."""
    from blockfeat.monitor.store.store import Store

    config = _configured(name)
    where = config.store if config else name
    if output is not None and any(is_same_file(one, output) for one in (name, where)):
        raise console.wrong(f"{output} is what is read", "--output")
    with Store.open(where, create=False) as store:
        yield store


def warn_of_unexpected(count: int) -> None:
    """Print to standard error how many pages and feeds failed unexpectedly, if any, and what to do about them."""
    if count:
        console.error(
            f"{count} of the pages and feeds failed unexpectedly: they are tried again when blockfeat or what is "
            "installed changes, or after `blockfeat monitor retry`"
        )


def report(
    config: ConfigArgument,
    by: Annotated[str, typer.Option(help="brand, day, lang, source, host, place, kind, because; several.")] = "brand",
    format: Annotated[str | None, typer.Option("--format", "-f", help="table, csv or html; else by --output.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write, such as report.html.")] = None,
    since: Annotated[str | None, typer.Option(help="First day, 2026-11-22, or an age such as 7d.")] = None,
    until: Annotated[str | None, typer.Option(help="Last day, or an age.")] = None,
    brand: Annotated[list[str] | None, typer.Option(help="Only this brand; repeatable.")] = None,
    lang: Annotated[list[str] | None, typer.Option(help="Only this language; repeatable.")] = None,
    view: Annotated[str | None, typer.Option(help="The filters of this [[views]] of the configuration.")] = None,
    title: Annotated[str, typer.Option(help="Heading of the HTML page.")] = "Brand mentions",
) -> None:
    """Count mentions, with and without clutter and copies."""
    from blockfeat.io.outputs.tables import csv_line
    from blockfeat.monitor.page import report_page
    from blockfeat.monitor.reports import MEASURES, Filters, check_dimensions, counts

    chosen = format or {".html": "html", ".csv": "csv"}.get(output.suffix if output is not None else "", "table")
    console.check_choice(chosen, ("table", "csv", "html"), "--format")
    if chosen == "table" and output is not None:
        raise typer.BadParameter("needs --format csv or html, or a file named .csv or .html", param_hint="--output")
    dimensions = [name.strip() for name in by.split(",") if name.strip()]
    check_dimensions(dimensions)
    with opened_store(config, output) as store:
        given: dict[str, object] = {"view": view, "brand": brand, "lang": lang}
        given |= {"since": _day(store, since, "--since"), "until": _day(store, until, "--until")}
        asked = Filters.model_validate({name: value for name, value in given.items() if value})
        known = _configured(config)
        filters = asked.with_view(known.views if known else (), today=store.today(now=time.time()))
        _check_brands(store, known, brand or [])
        warn_of_unexpected(store.unexpected_failures())
        if chosen == "html":
            text = report_page(store, filters, title=title)
        else:
            found = counts(store, dimensions, filters)
            measured = [(count.values, [getattr(count, name) for name in MEASURES]) for count in found]
            if chosen == "table":
                cells = [[*(value or "unknown" for value in by), *map(str, numbers)] for by, numbers in measured]
                console.show_table("", [*dimensions, *_HEADS], cells, right=len(dimensions))
                return
            lines = ([*by, *numbers] for by, numbers in measured)
            text = "".join(map(csv_line, ([*dimensions, *MEASURES], *lines)))
    if output is None:
        sys.stdout.write(text)
        return
    write_text(output, text)
    console.show(f"written: {output}")


def _check_brands(store: Store, config: MonitorConfig | None, brands: list[str]) -> None:
    """Raise a usage error for a brand that neither the configuration nor the store has."""
    if not brands:
        return
    configured = [brand.name for brand in config.brands] if config else []
    stored = [row["brand"] for row in store.query("SELECT DISTINCT brand FROM mentions ORDER BY brand")]
    for name in brands:
        console.check_choice(name, list(dict.fromkeys([*configured, *stored])), "--brand")


def _day(store: Store, text: str | None, option: str) -> str | None:
    """Return the ISO date that an option gives as a date or as an age, such as 7d, in the store's zone."""
    from datetime import date

    from blockfeat._config import duration_of

    if text is None:
        return None
    try:
        if (age := duration_of(text)) is not None:
            return store.today(now=time.time() - age).isoformat()
        return date.fromisoformat(text).isoformat()
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"'{text}' is no day such as 2026-11-22, and no age", param_hint=option) from None


def status(
    config: ConfigArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as one JSON object, for programs.")] = False,
) -> None:
    """Show what the store has, what is due, and what failed."""
    with opened_store(config) as store:
        found = store.status(now=time.time(), limit=_IN_JSON if as_json else _SHOWN)
        if as_json:
            console.show(json.dumps({"store": store.name, **asdict(found)}, ensure_ascii=False))
            return
        console.show(f"store: {store.name}, {found.store_bytes / 1e6:,.1f} MB")
    if found.trouble:
        console.show(f"trouble: {found.trouble}")
    for run in found.runs[:1]:
        ended = f"ended {run['ended_at']}" if run["ended_at"] else "still at work, or killed"
        console.show(f"last run: {run['started_at']}, {ended} ({run['process']})")
    pages = ", ".join(f"{count} {status}" for status, count in sorted(found.pages.items())) or "none"
    console.show(f"feeds: {found.feed_count}, of these {found.retired} retired")
    console.show(
        f"pages: {pages}; {found.due} due, {found.later} later ({found.retried} of them failed and are tried again); "
        f"{how_many(found.copies, 'copy')} with {how_many(found.own_mentions, 'mention')} of their own, "
        f"{how_many(found.versions, 'older version')}"
    )
    console.show(f"mentions: {found.counted} counted, {found.mentions} with clutter and copies")
    for name, moment in found.waiting_hosts.items():
        console.show(f"host {name}: not asked before {moment}")
    for sink in found.sinks:
        trouble = f", failed {how_many(sink['failures'], 'time')}: {sink['error']}" if sink["failures"] else ""
        console.show(f"{sink['name']}: {how_many(sink['pending'], 'mention')} to look through{trouble}")
    for letters in found.dead_letters:
        number = how_many(letters["number"], "dead letter")
        console.show(f"{letters['sink']}: {number} ({letters['error']}); `blockfeat monitor redeliver`")
    for feed in found.failing_feeds:
        since = f"{how_many(feed['failures'], 'time')} since {feed['failing_since'] or 'long ago'}"
        console.show(f"feed failed {since}: {console.with_name(feed['url'], feed['error'] or '')}")
    for page in found.failed_pages:
        how = " unexpectedly" if page["unexpected"] else ""
        console.show(f"page failed{how}: {console.with_name(page['url'], page['error'] or '')}")
    warn_of_unexpected(found.unexpected)


def password(
    config: ConfigArgument, remove: Annotated[bool, typer.Option("--remove", help="Ask for none any more.")] = False
) -> None:
    """Set the password of the live page: typed twice, or a line of standard input. Who has logged in is logged out."""
    is_typed = sys.stdin.isatty()
    given = None if remove else typer.prompt("Password", hide_input=is_typed, confirmation_prompt=is_typed)
    if given is not None and len(given.strip()) < _LEAST_OF_A_PASSWORD:
        raise typer.BadParameter(f"has fewer than {_LEAST_OF_A_PASSWORD} characters", param_hint="the password")
    with opened_store(config) as store:
        store.set_password(given)
        console.show(f"{store.name}: the live page asks for {'no' if remove else 'this'} password")


def serve(
    config: ConfigArgument,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8139,
    allow_host: AllowHostOption = None,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Brand mentions",
    trusted_proxy: TrustedProxyOption = None,
    feedback: Annotated[bool, typer.Option("--feedback", help="Let viewers judge mentions, accept lessons.")] = False,
) -> None:
    """Serve a live page of the mentions, read-only without --feedback: filters, charts, evidence, feeds."""
    require_extra("web", what="monitor serve")
    from blockfeat.web.app import address_of, bound_socket, server_of
    from blockfeat.web.guard import ServeSettings
    from blockfeat.web.live.app import create_live_app

    settings = ServeSettings(allowed_hosts=tuple(allow_host or ()))
    with opened_store(config) as store, bound_socket(host, port) as listening:
        is_own = is_own_machine(listening, store)
        console.show(f"The mentions of {store.name} are at {address_of(listening)} (Ctrl-C ends it)", at_once=True)
        known = _configured(config)
        of_it: dict[str, Any] = {"brands": known.brands, "views": known.views} if known else {}
        app = create_live_app(store, title=title, settings=settings, feedback=feedback, is_open=is_own, **of_it)
        with suppress(KeyboardInterrupt):
            server_of(app, trusted_proxies=trusted_proxy or ()).run(sockets=[listening])


def is_own_machine(listening: socket, store: Store) -> bool:
    """Return whether a socket is of this machine alone; raise a usage error if not and the store has no password."""
    from ipaddress import ip_address

    host = listening.getsockname()[0]
    if ip_address(host).is_loopback:
        return True
    if store.password_hash() is None:
        advice = "set a password (`blockfeat monitor password`), without which only this machine is served"
        raise typer.BadParameter(f"{host}: {advice}", param_hint="--host")
    return False


def retry(
    config: ConfigArgument,
    host: Annotated[str | None, typer.Option("--host", help="Only pages and feeds of this host.")] = None,
    reason: Annotated[str, typer.Option("--reason", help="Only where the reason has these words.")] = "",
    every_kind: Annotated[bool, typer.Option("--all", help="Also no answers, 403, 404, 500.")] = False,
) -> None:
    """Let the next run try again what failed unexpectedly: by an error of blockfeat, or by what was not installed."""
    with opened_store(config) as store:
        found = store.retry(now=time.time(), host=host, reason=reason, is_any=every_kind)
    for why, count in found.most_common(_REASONS_SHOWN):
        console.show(f"{count:>6}  {why}")
    if len(found) > _REASONS_SHOWN:
        console.show(f"{len(found) - _REASONS_SHOWN:>6}  other reasons")
    console.show(f"{found.total()} of the pages and feeds made due for the next run")


def rematch(
    config: Annotated[Path, typer.Argument(help="Configuration file.")],
    brand: Annotated[list[str] | None, typer.Option(help="Only this brand; repeatable.")] = None,
    announce: Annotated[bool, typer.Option("--announce", help="Deliver what is added too, with the next run.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Match stored pages anew, as the configuration is today; a run may go on meanwhile."""
    from blockfeat.monitor.config import read_config
    from blockfeat.monitor.rematch import rematch as look_again

    settings = read_config(config)
    names = [*(each.name for each in settings.brands), *(each.name for each in settings.queries)]
    for name in brand or ():
        console.check_choice(name, names, "--brand")
    with opened_store(str(settings.store)) as store, console.progress("looking again", quiet=quiet) as tick:
        total = store.count_stored_pages()
        found = look_again(
            store,
            settings,
            brands=frozenset(brand or ()),
            announce=announce,
            now=time.time(),
            on_pages=lambda done: tick(done, total),
            on_failure=lambda url, reason: console.error(console.with_name(url, reason)),
        )
    console.show(
        f"{how_many(found.pages, 'page')}: {how_many(found.added, 'mention')} added, of which {found.counted} count; "
        f"{found.changed} changed, {found.gone} no longer found"
    )
    if found.failed:
        console.error(f"{how_many(found.failed, 'page')} failed and stayed as before: rematch once that is mended")
        raise typer.Exit(console.SOME_FAILED if found.failed < found.pages else console.NOTHING_READ)


def export(
    config: ConfigArgument,
    what: Annotated[str, typer.Argument(help="mentions, pages, versions, replaced_mentions or feeds.")] = "mentions",
    format: Annotated[str | None, typer.Option("--format", "-f", help="jsonl, csv, parquet, opml (feeds).")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; else standard output.")] = None,
    counted: Annotated[bool, typer.Option("--counted", help="Only mentions that count.")] = False,
) -> None:
    """Write a view of the store as JSON Lines, CSV or Parquet; its feeds as OPML too."""
    from blockfeat.monitor.reports import EXPORT_FORMATS, Filters, export_rows, format_of, mention_rows
    from blockfeat.monitor.store.schema import VIEWS

    chosen = format or (format_of(output) if output is not None else None) or "jsonl"
    console.check_choice(chosen, EXPORT_FORMATS, "--format")
    console.check_choice(what, VIEWS, "WHAT")
    if counted and what != "mentions":
        raise typer.BadParameter("goes only with mentions", param_hint="--counted")
    if chosen == "opml" and what != "feeds":
        raise typer.BadParameter("is a list of feeds: `export FILE feeds`", param_hint="--format opml")
    if chosen == "parquet" and output is None:
        raise typer.BadParameter("needs --output", param_hint="--format parquet")
    if chosen == "parquet":
        require_extra("parquet", what="monitor export --format parquet")
    with opened_store(config, output) as store:
        filters = Filters(counted="yes" if counted else "all")
        rows = mention_rows(store, filters) if what == "mentions" else store.rows(what)
        columns = store.columns(what)
        if output is None:
            export_rows(rows, chosen, sys.stdout.buffer, name="standard output", columns=columns)
            return
        with whole_file(output) as file:
            count = export_rows(rows, chosen, file, name=str(output), columns=columns)
    console.show(f"{how_many(count, what.replace('_', ' ').removesuffix('s'))} written: {output}")


def search(
    config: ConfigArgument,
    query: Annotated[
        str, typer.Argument(help="'\"Tolmet Bank\" NEAR/8 (merger OR strike*) NOT title:sport'", show_default=False)
    ],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000_000, help="Most articles.")] = 20,
    format: Annotated[str, typer.Option("--format", "-f", help="text or jsonl.")] = "text",
) -> None:
    """Find stored articles by words: AND, OR, NOT, NEAR/5, "phrases", title:, word*; the newest first."""
    from blockfeat.monitor.mentions.queries import Query
    from blockfeat.monitor.store.search import snippet

    console.check_choice(format, ("text", "jsonl"), "--format")
    try:
        asked = Query.parse(query)
    except QueryError as error:
        raise typer.BadParameter(str(error), param_hint="QUERY") from None
    with opened_store(config) as store:
        found = store.articles(asked, limit=limit)
    for row in found:
        before, match, behind = snippet(row)
        if format == "jsonl":
            shown = {name: row[name] for name in ("url", "title", "lang", "day", "host", "kind")}
            console.show(json.dumps({**shown, "match": match, "around": before + match + behind}, ensure_ascii=False))
        else:
            console.show(
                f"{row['day']}  {row['host']}  {row['title'] or ''}\n  {row['url']}\n  {before}{match}{behind}\n"
            )
    if not found:
        console.error(f"no article in the store fulfils {query!r}")


def judge(
    config: ConfigArgument,
    mention: Annotated[str, typer.Argument(help="Id of a mention, as `export` and the API have it.")],
    verdict: Annotated[str, typer.Argument(help="right, wrong sense, not in the article, or missed.")],
) -> None:
    """Record a verdict on a mention; `learn` makes proposals from the verdicts."""
    from blockfeat.monitor.store.mentions import VERDICTS

    console.check_choice(verdict, VERDICTS, "VERDICT")
    with opened_store(config) as store:
        store.judge(mention, verdict, now=time.time())
        console.show(f"{how_many(store.count_judged(), 'mention')} judged")


def learn(
    config: Annotated[Path, typer.Argument(help="Configuration file.")],
    accept: Annotated[list[int] | None, typer.Option("--accept", help="Number of a proposal; repeatable.")] = None,
    forget: Annotated[list[str] | None, typer.Option("--forget", help="Brand or place of lessons; repeatable.")] = None,
    rules: Annotated[Path | None, typer.Option("--rules", help="Write the accepted places as rules of sites.")] = None,
) -> None:
    """Show proposals from judged mentions, each with what it would change in stored mentions; accept some of them."""
    from blockfeat.models import SiteModel, load_model, save_model
    from blockfeat.monitor.config import read_config
    from blockfeat.monitor.feedback import LEAST_JUDGED, proposals
    from blockfeat.monitor.feedback import accept as accepted
    from blockfeat.monitor.reading import rules_of_sites

    settings = read_config(config)
    with opened_store(str(settings.store)) as store:
        for subject in forget or ():
            console.show(f"{how_many(store.forget_lesson(subject), 'lesson')} forgotten: {subject}")
        judged = store.count_judged()
        found = proposals(store, settings.brands)
        for number, proposal in enumerate(found, start=1):
            console.show(f"{number}. {proposal.says}")
            changes = how_many(proposal.changes, "stored mention")
            console.show(f"   from {how_many(proposal.judged, 'verdict')}; would change {changes}")
            for sentence in proposal.examples:
                console.show(f"   - {sentence}")
        if not found:
            console.show(f"no proposals: {how_many(judged, 'mention')} judged, at least {LEAST_JUDGED} are needed")
        for number in accept or ():
            if not 1 <= number <= len(found):
                raise typer.BadParameter(f"there is no proposal {number}", param_hint="--accept")
            accepted(store, found[number - 1], now=time.time())
            console.show(f"accepted: {found[number - 1].says}; `rematch` follows it in what is stored")
        lessons = store.lessons()
        for kind, subject, _ in lessons:
            console.show(f"lesson: {kind}, {subject}")
        if rules is not None:
            save_model(SiteModel.over(load_model(settings.pages.model), rules_of_sites(lessons)), rules)
            console.show(f"written: {rules}; `model` of the configuration, and `extract --model`, take it")


def purge(
    config: ConfigArgument,
    before: Annotated[str | None, typer.Option("--before", help="Pages before a day, 2026-11-22, or an age.")] = None,
    host: Annotated[str | None, typer.Option("--host", help="Pages of this host.")] = None,
    url: Annotated[str | None, typer.Option("--url", help="The page at this address.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete all data of the pages that meet all conditions; their addresses stay, so that they are not read again."""
    if before is None and host is None and url is None:
        raise typer.BadParameter("which pages? give --before, --host or --url", param_hint="purge")
    with opened_store(config) as store:
        day = _day(store, before, "--before")
        if not yes:
            typer.confirm(f"Forget these pages of {store.name} for ever?", abort=True)
        console.show(f"{how_many(store.purge(before=day, host=host, url=url), 'page')} forgotten")
