"""Names of authors out of what pages write: lists split, prefixes, job titles and addresses removed, agencies apart."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from blockfeat.metadata.claims import folded, plain

# The words before a name; the text behind them begins with a letter.
PREFIX = (
    r"(?:ce|this|dieser|der) (?:article|beitrag|artikel|post) (?:was |wurde )?(?:written|verfasst) (?:by|von)|"
    r"written and (?:photographed|illustrated) by|(?:words|text|story|photos?|article|recipe|review|guide|updated|"
    r"post(?:ed)?|publi(?:shed|é|cado)|"
    r"written|reported|reporting|reviewed|created|submitted|contributed|medically reviewed|fact.checked|edited) "
    r"(?:and \w+ )?by|by|authors?|byline|"
    r"(?:ein |eine )?(?:artikel |beitrag |text |kommentar |analyse |interview |kolumne |gastbeitrag |reportage )?von|"
    r"(?:aufgezeichnet|geschrieben|verfasst|erstellt|veröffentlicht|publiziert|gepostet|fotos?) von|autor(?:in|en|a|"
    r"es|zy|i)?|text|texte|"
    r"écrit par|publié par|rédigé par|propos recueillis par|par|auteure?s?|por|escrito por|publicado por|redactado por|"
    r"vom|di|scritto da|a cura di|pubblicato da|door|geschreven door|af|av|skrevet av|skrevet af|tekst|"
    r"autors?|napisał|napisała|opracowanie|oprac|napsala?|avtor|piše|írta|szerző|de către|scris de|yazan|yazar|oleh|"
    r"penulis|tác giả|автор|авторы|текст|кореспондент|от|συντάκτης|γράφει ο|γράφει η|του|της|مؤلف|بقلم|كتب|نویسنده|"
    r"מאת|लेखक|द्वारा|โดย|著者|執筆者?|文|作者|记者|記者|撰文|글|기자"
)
_PREFIX = re.compile(rf"\A(?:{PREFIX})(?:\s*[:：/／|-]\s*|\s+(?=\S))", re.IGNORECASE)
_SHORT_PREFIX = re.compile(r"(?:di|af|av|do|da|de|от|του|της|文|글|text|texte|tekst|por|par|door|von)\s", re.IGNORECASE)
_ADDRESS = re.compile(r"\(?\b(?:https?://|www\.)\S+|\S+@\S+\.\S+|(?<!\w)@\w+|\(@?\w*\.\w+\)")
_AND = re.compile(
    r"\s+(?:and|und|et|y|e|och|og|ja|en|και|и|та|ve|és|și|și de|dan|va|và|&|with|mit|avec|con|"
    r"con la colaboración de)\s+"
    r"(?:(?:by|von|par|por|di|door)\s+)?|\s*[;|/•·⋅●»、，؛،／＆+\n]\s*|\s+[–—-]\s+"
)
_ORGANISATION = re.compile(r"\b(?:for|of|für|de la|institute|center|centre|ministry|department)\b", re.IGNORECASE)
# A job that follows the name without a comma: "Chris Pardo Vice President of Consulting".
_JOB_BEHIND = re.compile(
    r"(?<=\w)\s+(?:(?:Vice|Senior|Chief|Managing|Executive|Co-?)\s?)*(?:President|Founder|Co-Founder|Editor|"
    r"Reporter|Writer|Manager|"
    r"Director|Correspondent|Contributor|CEO|CTO|RN|MD|PhD|Redakteur(?:in)?|Journalist(?:in)?|Autor(?:in)?|"
    r"Staff Writer)\b.*\Z"
)
_COMMA = re.compile(r"\s*,\s*(?:(?:and|und|et|y|e|och|og|en|&)\s+)?")
_JOB = re.compile(
    r"\b(?:editors?|reporters?|correspondents?|writers?|journalists?|columnists?|contributors?|producers?|chief|"
    r"manager|director|president|founder|co-founder|ceo|cto|cmo|coo|managing|senior|staff|freelance|head of|bureau|"
    r"specialist|strategist|marketer|analyst|consultant|professor|researcher|fellow|attorney|lawyer|engineer|developer|"
    r"designer|photographer|nutritionist|dietitian|therapist|coach|expert|expertin|assistant|intern|vice|leader|"
    r"partner|"
    r"redakteur(?:in)?|redaktor(?:in|ka)?|chefredakteur(?:in)?|korrespondent(?:in)?|volontär(?:in)?|reporterin|"
    r"journalistin|autorin?|leiter(?:in)?|ressortleiter(?:in)?|ressort|politik|wirtschaft|geschäftsführer(?:in)?|"
    r"mitarbeiter(?:in)?|praktikant(?:in)?|fotograf(?:in)?|rédact\w+|journaliste|correspondante?|chef|redactor\w*|"
    r"periodista|corresponsal|editora?|giornalista|redattor\w+|inviat[oa]|redacteur|verslaggever|journalista?|"
    r"korespondent\w*|редактор|корреспондент|журналист\w*|обозреватель|главный|muhabir|editörü|reportar|redaktør|"
    r"redaktör|updated|published|posted|last modified|min read|ph\.?d|m\.?d|mba|msc?|rdn?|cpa|esq|jr|rn|cfp|pt|dpt|ldn|"
    r"mph|ma|ba|bsc|llb|jd|cscs|cpt|fand|np|dds|dvm|phd)\b\.?",
    re.IGNORECASE,
)
_CJK_JOB = re.compile(r"(?:\s*(?:記者|记者|編集部員?|特派員|論説委員|編集委員|기자|특파원|선임기자))+\Z")
_TRAILING = re.compile(
    r"\s+(?:on|am|le|à|el|op|um|at|veröffentlicht am|(?:über|alle) \S+.*|quelle:.*|source:.*|vor \d.*|(?:view|see|"
    r"get) .*|"
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\Z",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s*(?:\((?!.{0,3}\Z).*|\[.*|\bin [A-ZÄÖÜ]\S+(?: [A-ZÄÖÜ]\S+)?|\baus [A-ZÄÖÜ]\S+|\bfor [A-Z].*|\bfür .*|"
    r"\b(?:is|ist|was) an? .*|"
    r"\b(?:on|am) \w+ \d.*|\b\d{1,2}[./]\s?\d{1,2}.*|\b(?:about|view|see) .*|(?:\bat|\bum) \d.*|\d+ (?:min|comment|"
    r"post).*)\Z"
)
_NOT_A_NAME = re.compile(
    r"\A(?:admin(?:istrator)?|none|null|undefined|n/?a|unknown|anonymous|guest|user|author|autor|webmaster|default|"
    r"root|"
    r"share|people|accessibility|bluesky|editors?|staff|follow|facebook|twitter|linkedin|instagram|email|e-?mail|"
    r"print|read more|more|subscribe|home|contact|"
    r"(?:mon|tues?|wed|thu|fri|sat|sun)(?:day)?|by|von|and|und|view profile|view all posts|all posts|posted|"
    r"published|updated|date|comments?|\W*|\d+)\Z",
    re.IGNORECASE,
)
_LONGEST, _MOST_WORDS, _MOST_NAMES = 60, 7, 20


def is_agency(name: str) -> bool:
    """Return whether a name is that of a news agency."""
    return folded(name.removeprefix("(").removesuffix(")")) in _agencies()


def is_job(text: str) -> bool:
    """Return whether a text holds a job title or degree."""
    return _JOB.search(text) is not None


def clean_names(values: Iterable[str]) -> tuple[str, ...]:
    """Return the names in declared values, in order, each once.

    "By Ann Lee and Bo Ek, senior editor" gives Ann Lee and Bo Ek.
    """
    found: dict[str, str] = {}
    for value in values:
        for name in split_byline(value):
            found.setdefault(folded(name), name)
    names = list(found.items())
    # A longer form of the same name may follow, or come first.
    return tuple(
        name for key, name in names if not any(key != other and _is_part(name, longer) for other, longer in names)
    )[:_MOST_NAMES]


def _is_part(name: str, longer: str) -> bool:
    words = longer.casefold().split()
    return len(words) > 1 and name.casefold().split() == words[:1]


def split_byline(text: str) -> list[str]:
    """Return the names in one value or byline."""
    text = _ADDRESS.sub(" ", plain(text)[:600]).strip(" .,:;|-–—")
    text = _without_prefix(text)
    names: list[str] = []
    for part in _parts(text):
        pieces = [piece for piece in _COMMA.split(part) if piece]
        if len(pieces) == 2 and all(len(piece.split()) == 1 for piece in pieces) and not is_agency(pieces[1]):
            pieces = [f"{pieces[1]} {pieces[0]}"] if not _JOB.search(pieces[1]) else pieces[:1]
        for place, piece in enumerate(pieces):
            name = _cleaned(piece)
            if name and not ((place or names) and is_job(name)):
                names.append(name)
    return names


def _parts(text: str) -> list[str]:
    """Return the parts of a list of names; an organisation with "for" or "of" in its name is one."""
    parts = _AND.split(text)
    return [text] if len(parts) > 1 and _ORGANISATION.search(parts[0]) else parts


def _without_prefix(text: str) -> str:
    """Return text without what introduces a name."""
    for _ in range(2):
        found = _PREFIX.match(text)
        if found is None:
            break
        rest = text[found.end() :]
        # "von Trotha" and "Di Maria" are names.
        if _SHORT_PREFIX.fullmatch(found[0]) and found[0][0].islower() and len(rest.split()) < 2 and rest[0].isupper():
            break
        text = rest
    return text


def _cleaned(name: str) -> str:
    """Return a name without what stands behind it, or nothing where it is none."""
    name = _without_prefix(name.strip())
    if not _ORGANISATION.match(name):
        name = _TRAILING.sub("", _BEHIND.sub("", name))
    if len(name.split()) > 2:
        name = _JOB_BEHIND.sub("", name)
    name = _CJK_JOB.sub("", name).strip(
        " .,:;|-–—_*#\"“”'‘’«»()" if not name.endswith(".") or "." not in name[:-1] else ' ,:;|-–—_*#"“”'
    )
    if len(name) < 2 or len(name) > _LONGEST or len(name.split()) > _MOST_WORDS or _NOT_A_NAME.match(name):
        return ""
    return "" if name.count("/") > 1 or "://" in name else name


@cache
def _agencies() -> frozenset[str]:
    """Names of agencies, folded."""
    table = tomllib.loads(files("blockfeat.metadata").joinpath("agencies.toml").read_text(encoding="utf-8"))
    return frozenset(map(folded, table["names"]))
