"""Options that several commands share: definitions, shell completion, and parsing."""

from __future__ import annotations

import inspect
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_args

import typer

from blockfeat import __version__
from blockfeat._files import bundled_table
from blockfeat.commands import console
from blockfeat.commands.batch import FORMAT_NAMES
from blockfeat.errors import ConfigError, CorpusError, InputError, nearest
from blockfeat.extraction.options import ExtractionOptions, option_fields
from blockfeat.io.inputs.options import INPUT_FORMATS, FieldNames, InputOptions

if TYPE_CHECKING:
    from blockfeat.data.corpus import LabelledPage
    from blockfeat.io.http.transport import Network

Command = TypeVar("Command", bound=Callable[..., None])

_VARIABLES = "BLOCKFEAT_"
# What a file in the current folder, which may be from elsewhere, does not decide.
_OF_ONE_RUN = frozenset(("urls", "output", "resume", "allow_network"))


def model_names(incomplete: str) -> list[str]:
    """Return the bundled models whose names begin with a text; no model is loaded."""
    from importlib.resources import files

    folder = files("blockfeat").joinpath("models", "bundled")
    found = [entry.name.rpartition(".") for entry in folder.iterdir()]
    return _completing(sorted(name for name, _, suffix in found if suffix in ("json", "npz")))(incomplete)


def _completing(names: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a function that completes some names for the shell."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


_ALLOWED_HOST = "Name under which the service may be asked for, beside localhost and IP addresses; repeatable."
AllowHostOption = Annotated[list[str] | None, typer.Option("--allow-host", metavar="NAME", help=_ALLOWED_HOST)]
_PROXY = "Proxy in front whose X-Forwarded-For is believed; repeatable."
TrustedProxyOption = Annotated[list[str] | None, typer.Option("--trusted-proxy", metavar="IP", help=_PROXY)]
_NETWORK = "Fetch from this network though it is not public, such as 10.0.0.0/8; repeatable."
AllowNetworkOption = Annotated[list[str] | None, typer.Option("--allow-network", metavar="CIDR", help=_NETWORK)]
_CORPUS = "Corpus file (.jsonl, .gz, .xz) or 'demo'; repeatable."
_complete_corpora = _completing(("demo",))  # files are completed by the shell
CorpusOption = Annotated[list[str], typer.Option("--corpus", "-c", help=_CORPUS, autocompletion=_complete_corpora)]
HostOption = Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 for all of this machine.")]
_FORMATS = "text, markdown, json, html, xml, page, csv or parquet; by default as --output is named, else text."
_complete_formats = _completing(FORMAT_NAMES)
FormatOption = Annotated[str | None, typer.Option("--format", "-f", help=_FORMATS, autocompletion=_complete_formats)]
JobsOption = Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Number of processes.")]
LangOption = Annotated[str, typer.Option(help="Language of the pages, such as de; auto identifies it.")]
LangsOption = Annotated[str | None, typer.Option("--lang", help="Use only pages in these languages, such as de,fr.")]
_LEFT_OUT = "Leave out the pages that this file lists: JSON Lines with corpus and id, such as pages with wrong gold."
LeaveOutOption = Annotated[Path | None, typer.Option("--leave-out", metavar="FILE", help=_LEFT_OUT)]
((_max_bytes, _),) = option_fields("max_bytes")
MaxBytesOption = Annotated[int | None, typer.Option(min=1, help=_max_bytes.metadata["help"])]
ModelOption = Annotated[
    str, typer.Option("--model", "-m", help="Name of a bundled model, or a model file.", autocompletion=model_names)
]
PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 takes a free one.")]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress bar, no summary, and no messages about single pages.")
]


def with_extraction_options(*names: str) -> Callable[[Command], Command]:
    """Return a decorator that gives a command options for the named `ExtractionOptions`, by default for all.

    The command takes them as one parameter, ``options``.
    """
    return _with_parameters("options", ExtractionOptions, list(map(_parameter, option_fields(*names))))


def with_input_options(*, delay: bool = True) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the options for reading inputs, as one parameter, ``reading``.

    Commands that read a single page have no ``--delay``.
    """
    known = inspect.signature(input_options, eval_str=True).parameters.values()
    return _with_parameters("reading", input_options, [one for one in known if delay or one.name != "delay"])


def _with_parameters(
    name: str, make: Callable[..., Any], chosen: Sequence[inspect.Parameter]
) -> Callable[[Command], Command]:
    """Return a decorator that replaces one parameter of a command by several, of which ``make`` makes its value."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_options(**given: Any) -> None:
            values = {parameter.name: given.pop(parameter.name) for parameter in chosen}
            command(**given, **{name: make(**values)})

        signature = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            parameters += chosen if parameter.name == name else [parameter]
        return cast("Command", _with_signature(with_options, parameters))

    return decorate


def _with_signature(command: Callable[..., None], parameters: Sequence[inspect.Parameter]) -> Callable[..., None]:
    """Give a function the parameters that the command line offers, by name; return it."""
    named = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    command.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def in_panels(command: Command) -> Command:
    """Return a command whose options stand, in its help, in panels by their purpose."""
    tables = bundled_table("blockfeat.commands", "panels.toml")
    panels = {name: panel for panel, names in tables.items() for name in names.split()}
    parameters = list(inspect.signature(command, eval_str=True).parameters.values())
    for parameter in parameters:
        for stated in get_args(parameter.annotation)[1:]:
            stated.rich_help_panel = panels.get(parameter.name)
    order = [*panels]
    parameters.sort(key=lambda parameter: order.index(parameter.name) if parameter.name in panels else -1)

    @wraps(command)
    def with_panels(**given: Any) -> None:
        for name, value in given.items():
            # No bound refuses NaN.
            if (value == "" and name == "output") or (isinstance(value, float) and not math.isfinite(value)):
                raise console.wrong(f"it cannot be {value!r}", f"--{name.replace('_', '-')}")
        command(**given)

    return cast("Command", _with_signature(with_panels, parameters))


def _parameter(option: tuple[Field[Any], Any]) -> inspect.Parameter:
    """Return the command parameter for an extraction option."""
    field, type = option
    names = ("--favour", "--favor") if field.name == "favour" else ()
    stated = typer.Option(*names, help=field.metadata["help"], min=field.metadata["least"])
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(field.name, kind, default=field.default, annotation=Annotated[type, stated])


def labelled_pages(corpora: list[str], langs: str | None = None, leave_out: Path | None = None) -> list[LabelledPage]:
    """Read corpora (``demo``: the bundled pages); keep pages in some languages that ``leave_out`` does not list."""
    from blockfeat.data import demo_pages, load_corpora, read_page_list, without_listed
    from blockfeat.data.split import pages_of_languages

    listed = read_page_list(leave_out) if leave_out else frozenset()
    paths = [path for path in corpora if path != "demo"]
    pages = demo_pages() if "demo" in corpora else []
    pages = without_listed([*pages, *load_corpora(paths)], listed)
    if not pages:
        raise CorpusError(f"{', '.join(corpora)}: there are no labelled pages{' but those left out' * bool(listed)}")
    return pages_of_languages(pages, languages(langs))


def language(lang: str) -> str | None:
    """Return the language code of an option, None for auto; raise a usage error for an unknown code."""
    from blockfeat.lang import normalise_code

    if lang == "auto":
        return None
    if (code := normalise_code(lang)) is None:
        raise typer.BadParameter(f"'{lang}' is no language code; give one such as de, or auto", param_hint="--lang")
    return code


def languages(langs: str | None) -> list[str] | None:
    """Return the languages of an option such as ``de,fr``; None where it is not given."""
    return [code for part in langs.split(",") if (code := language(part.strip()))] if langs else None


def allowed_networks(networks: Sequence[str] | None) -> tuple[Network, ...]:
    """Return the networks of ``--allow-network``; raise a usage error for an invalid one."""
    from blockfeat.io.http.transport import parse_network

    try:
        return tuple(parse_network(network) for network in networks or ())
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--allow-network") from error


def input_options(
    input_format: Annotated[
        str,
        typer.Option(
            help="html, jsonl, warc, parquet, urls (a list of addresses), or auto: by suffix, else by the first bytes.",
            autocompletion=_completing(INPUT_FORMATS),
        ),
    ] = "auto",
    fields: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Names of the fields of JSON Lines and Parquet, such as html=content,url=link "
            "(of html, id, url, lang, charset).",
        ),
    ] = None,
    allow_network: AllowNetworkOption = None,
    delay: Annotated[float, typer.Option(min=0, max=86400, help="Least seconds between fetches from one host.")] = 1.0,
) -> InputOptions:
    """Return the options that say how inputs are read; raise a usage error for invalid ones."""
    console.check_choice(input_format, INPUT_FORMATS, "--input-format")
    try:
        names = FieldNames.parse(fields) if fields else FieldNames()
    except InputError as error:
        raise typer.BadParameter(f"{error}; --columns chooses what is written", param_hint="--fields") from error
    return InputOptions(input_format, names, allowed_networks(allow_network), delay=delay)


def _settings(context: typer.Context, command: str) -> dict[str, Any]:
    """Return what a settings file and variables say of a command's options; ``explain`` has those of ``extract``.

    Raises
    ------
    ConfigError
        A file names no option of the command, or an option cannot have its value.
    """
    called = context.command.commands[command]  # type: ignore[attr-defined]
    if hasattr(called, "commands"):  # a group
        return {}
    options = {option.name: option for option in called.params if option.param_type_name == "option"}
    whose = "extract" if command == "explain" else command
    values = {}
    for source, name, value in [*_in_files(whose), *_in_variables(whose)]:
        if name in options and not (command != whose and name in _OF_ONE_RUN):
            values[name] = _as_given(context, options[name], source, value)
            context.call_on_close(partial(_say_if_wrong, source))
        elif command == whose:
            told = f"{source}: {command} has no option {name!r}; {nearest(name, options)}"
            if not source.startswith(_VARIABLES):
                raise ConfigError(told)
            console.error(told)
    return values


def _say_if_wrong(source: str) -> None:
    """Say, where a run ends by a wrong value of an option, what else than the command line gave it options."""
    if isinstance(sys.exception(), (ValueError, typer.BadParameter)):
        console.error(f"{source} gives an option of this run")


def _in_files(command: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the place, the name and the value of each option in ``[extract]`` of the first settings file with one."""
    file, table = console.settings_of(command, console.settings_files()) or (Path(), {})
    for key, value in table.items() if command == "extract" else ():
        name, own = key.replace("-", "_"), file.parent / str(value)
        if name in _OF_ONE_RUN:
            raise ConfigError(f"{file}: 'extract.{key}' belongs on the command line")
        yield f"{file}: 'extract.{key}'", name, str(own) if name == "model" and own.is_file() else value


def _in_variables(command: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, option and value of each variable of a command that is not empty."""
    prefix = f"{_VARIABLES}{command.upper()}_"
    for variable, value in os.environ.items():
        if variable.startswith(prefix) and value:
            yield variable, variable.removeprefix(prefix).lower(), value


def _as_given(context: typer.Context, option: Any, source: str, value: Any) -> str | list[str]:
    """Return a value as the word that the command line would have, or words where an option may be repeated.

    Raises
    ------
    ConfigError
        The option cannot have it; the message names where it comes from.
    """
    each = value if isinstance(value, list) and option.multiple else [value]
    if not all(isinstance(one, str | int | float) for one in each):
        raise ConfigError(f"{source} cannot be {value!r}")
    words = [str(one).lower() if isinstance(one, bool) else str(one) for one in each]
    given = words if option.multiple else words[0]
    try:
        option.type_cast_value(context, given)
    except typer.BadParameter as error:
        raise ConfigError(f"{source}: {error.message}") from error
    return given


def of_the_program(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show the log messages of the library.")] = False,
) -> None:
    """Find the main text of web pages, in any language, and say why."""
    if version:
        console.show(f"blockfeat {__version__} ({console.how_it_runs()})")
        raise typer.Exit
    console.prepare(context.invoked_subcommand)
    if context.invoked_subcommand is not None:
        context.default_map = {context.invoked_subcommand: _settings(context, context.invoked_subcommand)}
    if verbose:
        import logging

        logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
