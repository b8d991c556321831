"""Charset matrix: small pages in many encodings, declared rightly, wrongly and not at all.

Run ``python tools/charset_matrix.py`` for the table of ``docs/broken-pages.md``; ``--all`` names every case.
``tests/page/test_encoding.py`` checks the same cases.
"""

# ruff: noqa: E501  (the texts)

from __future__ import annotations

import argparse
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from blockfeat.page.encoding import decode

__all__ = ["Case", "cases", "is_right"]

# Written for this project.
_TEXTS = {
    "de": (
        "Am frühen Morgen öffnete die Bäckerei am Marktplatz. Schon vor der Tür roch es nach süßem Gebäck, und die "
        "Leute grüßten sich über die Straße hinweg. „Für mich bitte drei Brötchen“, sagte der Mann mit der Mütze."
    ),
    "fr": (
        "Le vieux pêcheur réparait ses filets près de la jetée. L’été touchait à sa fin, les élèves rentraient déjà à "
        "l’école, et la forêt derrière le château prenait une couleur dorée. Où étaient passées les hirondelles ?"
    ),
    "es": (
        "El niño corrió por el pequeño jardín detrás de su perro. ¿Qué más podía pedir? Mañana vendría su abuela con "
        "una canción nueva, y después de la lluvia habría caracoles en el camino. ¡Así empezó aquella estación!"
    ),
    "sv": (
        "Båten låg still vid bryggan när hösten kom över ön. Några barn lekte bland äppelträden, och på kvällen tände "
        "någon ljus i den röda stugan. Det fanns ännu många kräftor kvar att äta före vintern."
    ),
    "pl": (
        "Wczesną jesienią wróciliśmy do małej wsi pod lasem. Ścieżka była wąska, więc szliśmy gęsiego, niosąc kosze "
        "pełne grzybów. Żółte liście leżały wszędzie, a źródło szumiało cicho między głazami."
    ),
    "cs": (
        "Stařičký hodinář otevřel dílnu ještě před úsvitem. Na stole ležely pružiny, šroubky a jedny příliš hlučné "
        "kukačky. Říkal, že každé kolečko má svůj vlastní žal i svou vlastní píseň."
    ),
    "hu": (
        "A kőműves hajnalban érkezett a régi malomhoz. Első dolga az volt, hogy körülnézett: a tető beázott, az ajtó "
        "kidőlt, de a fűzfák még mindig ott álltak a gát mellett. Délután már füst szállt a kéményből."
    ),
    "ru": (
        "Рано утром лодка отошла от берега. Старый рыбак молчал, смотрел на воду и думал о своём доме, где под окном "
        "росла высокая яблоня. К полудню ветер усилился, и сети пришлось поднимать вдвоём."
    ),
    "uk": (
        "Уранці дідусь вийшов у садок і побачив, що яблуні вже зацвіли. Він покликав онуків, узяв ґрунтовну драбину й "
        "показав їм гніздо, де сиділо троє пташенят. Її очі були схожі на чорні намистини."
    ),
    "bg": (
        "Старата къща стоеше на края на селото, където започваше гората. Всяка вечер бабата излизаше на двора, "
        "сядаше под ореха и разказваше на децата приказки за вълци, змейове и хитри лисици."
    ),
    "el": (
        "Το καΐκι έφυγε από το λιμάνι πριν ξημερώσει. Ο γέρος ψαράς κοιτούσε τη θάλασσα και θυμόταν τα παιδικά του "
        "χρόνια, όταν η μητέρα του άναβε το λυχνάρι και περίμενε στο παράθυρο μέχρι να γυρίσουν όλοι."
    ),
    "tr": (
        "Sabahın erken saatlerinde köyün fırını açıldı. Çocuklar sıcak ekmeğin kokusunu duyunca koşarak geldiler. "
        "Yaşlı fırıncı gülümsedi, önlüğünü düzeltti ve her birine küçük bir çörek verdi. İşte güneş de doğuyordu."
    ),
    "he": (
        "בבוקר מוקדם יצא הדייג הזקן אל החוף. הים היה שקט, והוא ישב על הסלע וחיכה. אחר כך באו הילדים מן הכפר, שאלו "
        "אותו שאלות רבות, והוא סיפר להם על הדג הגדול שברח ממנו לפני שנים."
    ),
    "ar": (
        "في الصباح الباكر خرج الصياد العجوز إلى الشاطئ. كان البحر هادئا، فجلس على الصخرة وانتظر طويلا. ثم جاء "
        "الأطفال من القرية وسألوه عن السمكة الكبيرة التي هربت منه قبل سنوات كثيرة."
    ),
    "lt": (
        "Anksti rytą senelis išėjo į sodą ir pamatė, kad obelys jau žydi. Jis pašaukė anūkus, paėmė kopėčias ir parodė "
        "jiems lizdą, kuriame tupėjo trys paukščiukai. Visą dieną švietė saulė, o vakare ėmė lyti."
    ),
    "lv": (
        "Agri no rīta vectēvs izgāja dārzā un ieraudzīja, ka ābeles jau zied. Viņš pasauca mazbērnus, paņēma kāpnes un "
        "parādīja viņiem ligzdu, kurā tupēja trīs putnēni. Visu dienu spīdēja saule, bet vakarā sāka līt."
    ),
    "vi": (
        "Buổi sáng sớm, ông lão đánh cá rời bến. Biển rất êm, gió thổi nhẹ, và ông nhớ đến ngôi nhà nhỏ bên bờ sông, "
        "nơi bà ngồi đợi dưới gốc cây xoài. Đến trưa thì lũ trẻ trong làng chạy ra đón thuyền về."
    ),
    "th": (
        "เช้าวันนั้นชาวประมงเฒ่าออกเรือไปกลางทะเล ลมพัดเบาและน้ำนิ่ง เขานั่งคิดถึงบ้านหลังเล็กริมคลองที่มีต้นมะม่วงใหญ่ "
        "ตอนเที่ยงเด็กๆ ในหมู่บ้านวิ่งมารอรับเรือและถามว่าได้ปลามากี่ตัว"
    ),
    "zh-hans": (
        "清晨，老渔夫划着小船离开了岸边。海面很平静，他望着远处的山，想起了年轻时的日子。中午的时候，村里的孩子们跑到码头来等他，"
        "问他今天打到了多少鱼。他笑着说，最大的那一条又跑掉了。"
    ),
    "zh-hant": (
        "清晨，老漁夫划著小船離開了岸邊。海面很平靜，他望著遠處的山，想起了年輕時的日子。中午的時候，村裡的孩子們跑到碼頭來等他，"
        "問他今天打到了多少魚。他笑著說，最大的那一條又跑掉了。"
    ),
    "ja": (
        "朝早く、年老いた漁師は小さな舟で岸を離れた。海はとても静かで、彼は遠くの山を眺めながら若いころのことを思い出していた。"
        "昼になると、村の子どもたちが港まで走ってきて、今日は何匹とれたのかとたずねた。"
    ),
    "ko": (
        "이른 아침 늙은 어부는 작은 배를 타고 바다로 나갔다. 바람은 잔잔하고 물결은 고요했다. 그는 먼 산을 바라보며 젊은 시절을 "
        "떠올렸다. 점심때가 되자 마을 아이들이 부두로 달려와 오늘은 몇 마리를 잡았느냐고 물었다."
    ),
}

# Label on the page, Python codec that wrote it, language.
_LEGACY = (
    ("windows-1250", "cp1250", "pl"),
    ("windows-1250", "cp1250", "cs"),
    ("iso-8859-2", "iso8859-2", "hu"),
    ("windows-1251", "cp1251", "ru"),
    ("windows-1251", "cp1251", "uk"),
    ("windows-1251", "cp1251", "bg"),
    ("koi8-r", "koi8-r", "ru"),
    ("koi8-u", "koi8-u", "uk"),
    ("iso-8859-5", "iso8859-5", "ru"),
    ("ibm866", "cp866", "ru"),
    ("x-mac-cyrillic", "mac-cyrillic", "ru"),
    ("iso-8859-1", "cp1252", "fr"),
    ("windows-1252", "cp1252", "de"),
    ("iso-8859-1", "latin-1", "es"),
    ("iso-8859-15", "iso8859-15", "sv"),
    ("windows-1253", "cp1253", "el"),
    ("iso-8859-7", "iso8859-7", "el"),
    ("windows-1254", "cp1254", "tr"),
    ("iso-8859-9", "iso8859-9", "tr"),
    ("windows-1255", "cp1255", "he"),
    ("windows-1256", "cp1256", "ar"),
    ("windows-1257", "cp1257", "lt"),
    ("windows-1257", "cp1257", "lv"),
    ("windows-1258", "cp1258", "vi"),
    ("tis-620", "cp874", "th"),
    ("gb2312", "gb2312", "zh-hans"),
    ("gb18030", "gb18030", "zh-hans"),
    ("gbk", "gbk", "zh-hant"),
    ("big5", "big5", "zh-hant"),
    ("shift_jis", "cp932", "ja"),
    ("euc-jp", "euc_jp", "ja"),
    ("iso-2022-jp", "iso2022_jp", "ja"),
    ("euc-kr", "cp949", "ko"),
)
_MULTI_BYTE = ("gb2312", "gb18030", "gbk", "big5", "shift_jis", "euc-jp", "euc-kr")


@dataclass(frozen=True)
class Case:
    """One page of the matrix: bytes, HTTP charset, and the text that must come out."""

    name: str
    kind: str
    encoding: str
    data: bytes
    text: str
    charset: str | None = None


def _text(language: str, codec: str) -> str:
    text = _TEXTS[language]
    return _tones_apart(text) if codec == "cp1258" else text


def _tones_apart(text: str) -> str:
    """Vietnamese as windows-1258 writes it: letters whole, tone marks behind them."""
    out = []
    for character in text:
        apart = unicodedata.normalize("NFD", character)
        tone = "".join(mark for mark in apart[1:] if mark in "\u0300\u0301\u0303\u0309\u0323")
        letter = unicodedata.normalize("NFC", apart[0] + "".join(m for m in apart[1:] if m not in tone))
        out.append(letter + tone)
    return "".join(out)


def _page(text: str, declaration: str = "", before: str = "") -> str:
    return (
        f"{before}<!DOCTYPE html>\n<html><head>{declaration}<title>Story</title></head>\n"
        f'<body class="page"><div id="main"><p>{text}</p></div></body></html>\n'
    )


def _meta(label: str) -> str:
    return f'<meta charset="{label}">'


def _http_equiv(label: str) -> str:
    return f'<meta http-equiv="Content-Type" content="text/html; charset={label}">'


def _late_meta(label: str) -> str:
    links = "".join(f'<link rel="stylesheet" href="/styles/part-{number}.css">' for number in range(60))
    return links + _http_equiv(label)


def cases() -> Iterator[Case]:
    """Yield every case of the matrix."""
    for label, codec, language in _LEGACY:
        yield from _legacy_cases(label, codec, language)
    for label, codec, language in _LEGACY:
        if codec in ("cp1250", "cp1252", "koi8-r", "gb2312", "cp932", "cp949"):
            yield from _unknown_label_cases(label, codec, language)
    for language in ("de", "ru", "ja", "th", "ar"):
        yield from _utf_8_cases(language, _TEXTS[language])
    for language in ("fr", "el", "zh-hans"):
        yield from _utf_16_cases(language, _TEXTS[language])


def _legacy_cases(label: str, codec: str, language: str) -> Iterator[Case]:
    """Legacy bytes with declarations of all kinds, and the legacy declaration over UTF-8 bytes."""
    text = _text(language, codec)
    name = f"{label} {language}"

    def case(kind: str, page: str, charset: str | None = None, codec: str = codec) -> Case:
        return Case(f"{name}: {kind}", kind, label, page.encode(codec), text, charset)

    yield case("declared", _page(text, _meta(label)))
    yield case("declared late in head", _page(text, _late_meta(label)))
    yield case("undeclared", _page(text))
    yield case("utf-8 declared", _page(text, _meta("utf-8")))
    yield case("HTTP charset", _page(text), label)
    yield case("HTTP charset, meta says utf-8", _page(text, _http_equiv("UTF-8")), label.upper())
    yield case("utf-8 bytes under this label", _page(text, _meta(label)), codec="utf-8")
    yield case("utf-8 bytes, HTTP says this label", _page(text), label, codec="utf-8")
    yield Case(f"{name}: bad byte", "bad byte", label, _with_bad_byte(text, label, codec), text)
    yield case("XML declaration", _page(text, before=f"<?xml version='1.0' encoding='{label}'?>\n"))


def _with_bad_byte(text: str, label: str, codec: str) -> bytes:
    """Return the page with a byte that is wrong in the middle of its longest run of letters."""
    page = _page(text, _meta(label))
    middle = page.index(text) + max(_runs(text), key=lambda run: run[1] - run[0])[0] + 2
    before, after = page[:middle].encode(codec), page[middle:].encode(codec)
    if codec == "iso2022_jp":
        whole = page.encode(codec)
        place = len(before) - 3
        return whole[:place] + b"\xff" + whole[place:]
    if label in _MULTI_BYTE:
        return before + b"\xff" + after[1:]
    return before + b"\x98" + after[1:]


def _runs(text: str) -> list[tuple[int, int]]:
    """Start and end of the runs of non-ASCII characters."""
    ends = [-1, *(place for place, character in enumerate(text) if character.isascii()), len(text)]
    return [(start + 1, end) for start, end in pairwise(ends)]


def _unknown_label_cases(label: str, codec: str, language: str) -> Iterator[Case]:
    text = _text(language, codec)
    for unknown in ("x-foo", "utf-7", "base64"):
        kind = f"label {unknown}"
        yield Case(f"{label} {language}: {kind}", kind, label, _page(text, _meta(unknown)).encode(codec), text)
        data = _page(text).encode("utf-8")
        yield Case(f"utf-8 {language}: HTTP {unknown}", kind, "utf-8", data, text, unknown)


def _utf_8_cases(language: str, text: str) -> Iterator[Case]:
    def case(kind: str, data: bytes, charset: str | None = None) -> Case:
        return Case(f"utf-8 {language}: {kind}", kind, "utf-8", data, text, charset)

    yield case("declared", _page(text, _meta("utf-8")).encode())
    yield case("undeclared", _page(text).encode())
    yield case("HTTP charset", _page(text).encode(), "utf8")
    yield case("byte-order mark", _page(text, _meta("iso-8859-1")).encode("utf-8-sig"))
    yield case("byte-order mark, HTTP lies", _page(text).encode("utf-8-sig"), "windows-1251")
    yield case("meta says utf-16", _page(text, _meta("utf-16")).encode())
    yield case("meta says utf-16le", _page(text, _meta("utf-16le")).encode())
    for declared in ("utf-8", "iso-8859-1", ""):
        data = _page(text, _meta(declared) if declared else "").encode()
        for bad in (b"\xff", b"\x81", b"\xc3"):
            place = data.index(text.encode()) + len(text[:9].encode())
            kind = f"bad byte {bad.hex()}, {declared or 'nothing'} declared"
            yield Case(f"utf-8 {language}: {kind}", "bad byte", "utf-8", data[:place] + bad + data[place:], text)
    cut = _page(text, _meta("utf-8")).encode().partition(b"</p>")[0][:-1]
    yield Case(f"utf-8 {language}: cut in a character", "bad byte", "utf-8", cut, text)


def _utf_16_cases(language: str, text: str) -> Iterator[Case]:
    for codec in ("utf-16-le", "utf-16-be"):
        mark = "\ufeff".encode(codec)
        data = _page(text, _meta("utf-16")).encode(codec)
        label = codec[:-3] + codec[-2:]
        for kind, page, charset in (
            ("byte-order mark", mark + data, None),
            ("byte-order mark, HTTP lies", mark + data, "utf-8"),
            ("undeclared", data, None),
            ("HTTP charset", data, label),
            ("HTTP charset", data, "utf-16"),
            ("utf-8 declared", data, "utf-8"),
        ):
            yield Case(f"{label} {language}: {kind} {charset or ''}".strip(), kind, label, page, text, charset)
        place = data.index(text.encode(codec)) + 20
        bad = data[:place] + "\ud800".encode(codec, "surrogatepass") + data[place:]
        yield Case(f"{label} {language}: bad unit", "bad byte", label, mark + bad, text)
        yield Case(f"{label} {language}: odd length", "bad byte", label, mark + data + b"\x20", text)


def is_right(case: Case) -> bool:
    """Decode a case and tell whether its text came out; a bad byte may change one character."""
    found = decode(case.data, case.charset).text
    if case.kind != "bad byte":
        return case.text in found
    start = found.find("<p>") + 3
    end = found.find("</p>")
    return _changed(case.text, found[start : end if end >= 0 else None]) <= 1


def _changed(text: str, found: str) -> int:
    """Count the characters between the common start and the common end; two for one are one change."""
    start = _common(text, found)
    end = _common(text[start:][::-1], found[start:][::-1])
    return max(len(text) - start - end, len(found) - start - end - 2)


def _common(one: str, other: str) -> int:
    return next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--all", action="store_true", help="name every case, not only the wrong ones")
    arguments = parser.parse_args()
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    wrong = []
    for case in cases():
        good = is_right(case)
        total[case.kind] += 1
        right[case.kind] += good
        if not good:
            wrong.append(case)
        if arguments.all or not good:
            decoding = decode(case.data, case.charset)
            verdict = "right" if good else "WRONG"
            print(f"{verdict}  {case.name}: {decoding.encoding} ({decoding.source}), {decoding.replaced} replaced")
    print("\n| what the page says | cases | right |\n|---|---|---|")
    for kind, number in total.items():
        print(f"| {kind} | {number} | {right[kind]} |")
    cells = sum(total.values())
    print(f"| all | {cells} | {cells - len(wrong)} ({(cells - len(wrong)) / cells:.1%}) |")


if __name__ == "__main__":
    _main()
