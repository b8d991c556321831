"""Hooks of the documentation site: the pages of the commands, from the command line itself, and the changelog."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

_COLUMNS = 70

_OUTPUT = re.compile(r"(^<!-- output[^>]*-->\n```)\n", re.MULTILINE)

_HEAD = """# Commands (CLI)

Written from the command line itself when this site is built; `blockfeat COMMAND --help` says the same. Exit codes: 0
all well, 1 some inputs failed, 2 wrong usage, 126 nothing could be read or written, 130 stopped by Ctrl-C.

| command | what it does |
|---|---|
"""


# Left out of the search: it would stand before the pages that answer.
_CHANGELOG_HEAD = "---\nsearch:\n  exclude: true\n---\n\n"


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the commands and the changelog to the files of the site."""
    from mkdocs.structure.files import File

    for name, content in command_pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=content))
    changelog = _CHANGELOG_HEAD + (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "changelog.md", content=changelog))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page whose blocks of output are not coloured as commands."""
    return _OUTPUT.sub(r"\1text\n", markdown)


def on_config(config: Any) -> Any:
    """Put the pages of the commands into the navigation, and the version into the footer of every page."""
    from blockfeat import __version__

    config["copyright"] = f"blockfeat {__version__}"
    (reference,) = (group["Reference"] for group in config["nav"] if "Reference" in group)
    (entry,) = (entry for entry in reference if "Commands" in entry)
    entry["Commands"] = [f"reference/{name}.md" for name in command_pages()]
    return config


def command_pages() -> dict[str, str]:
    """Return a page for each command, a chapter for each of its subcommands, and before them a table of all."""
    import typer

    from blockfeat.cli import app_of

    whole: Any = typer.main.get_command(app_of())
    context = whole.context_class(whole, info_name="blockfeat")
    commands = {name: whole.get_command(context, name) for name in whole.list_commands(context)}
    rows = [f"| [`{name}`](commands/{name}.md) | {_plain(one.help or '')} |" for name, one in commands.items()]
    pages = {"commands": "\n".join([_HEAD.rstrip("\n"), *rows, ""])}
    for name, one in commands.items():
        pages[f"commands/{name}"] = "\n".join([f"# {name}\n", *_chapters(one, f"blockfeat {name}", context)])
    pages["commands/monitor"] += "\n".join(_of_the_monitor())
    return pages


def _of_the_monitor() -> Iterator[str]:
    """Yield what a monitor reads and keeps: the configuration that `init` writes, the columns of the views."""
    from blockfeat.monitor.config import example_config
    from blockfeat.monitor.store.schema import VIEWS
    from blockfeat.monitor.store.store import Store

    yield "\n## The example\n\nWhat `monitor init` writes: every key with its default.\n"
    yield f"```toml\n{_narrow(example_config())}```\n"
    yield "## The views\n"
    with TemporaryDirectory() as folder, Store.open(f"{folder}/monitor.db") as store:
        for view in VIEWS:
            yield f"- **{view}**: {', '.join(f'`{name}`' for name in store.columns(view))}"


def _chapters(command: Any, name: str, parent: Any) -> Iterator[str]:
    context = command.context_class(command, info_name=name.rpartition(" ")[2], parent=parent)
    yield from _chapter(command, name, context)
    for child in command.list_commands(context) if hasattr(command, "commands") else []:
        yield from _chapters(command.get_command(context, child), f"{name} {child}", context)


def _chapter(command: Any, name: str, context: Any) -> Iterator[str]:
    """Yield one chapter: what it does, how it is called, a row for each parameter."""
    yield f"\n## `{name}`\n"
    yield f"{_plain(command.help or '')}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{name} {usage}\n```\n"
    rows = [row for parameter in command.get_params(context) if (row := _row(parameter, context)) is not None]
    if rows:
        yield "| option or argument | default | meaning |\n|---|---|---|"
        yield "\n".join(rows) + "\n"


def _row(parameter: Any, context: Any) -> str | None:
    if getattr(parameter, "hidden", False) or parameter.name in ("install_completion", "show_completion", "help"):
        return None
    is_option = parameter.param_type_name == "option"
    names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
    if not is_option:
        names = f"`{parameter.make_metavar(context)}`"
    default = parameter.default
    shown = "" if default is None or default is False or callable(default) or default in ((), []) else f"`{default}`"
    return f"| {names} | {shown} | {_plain(parameter.help or '')} |"


def _plain(text: str) -> str:
    """Return help as one line of Markdown that fits a table."""
    return " ".join(text.replace("\f", " ").split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    print("\n".join(command_pages().values()))


def _narrow(text: str) -> str:
    """Return commented TOML in the columns that a page shows: longer comments stand in lines of their own, above."""
    lines: list[str] = []
    prose: list[str] = []
    for line in [*re.sub(r"\n {8,}# ", " ", text).splitlines(), ""]:  # a comment that goes on below itself is one
        if line.startswith("# ") and not re.search(" = |---| # ", line):
            prose.append(line[2:])
            continue
        lines += _comment(" ".join(prose))
        prose = []
        setting, _, comment = line.partition(" # ")
        if len(line) > _COLUMNS and comment:
            lines += _comment(comment)
            lines.append(setting.rstrip())
        else:
            lines.append(line[:_COLUMNS] if "# ---" in line else line)
    return "\n".join(lines)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(
        text, _COLUMNS, initial_indent="# ", subsequent_indent="# ", break_long_words=False, break_on_hyphens=False
    )
