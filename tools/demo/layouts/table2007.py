"""A site of 2007: nested tables, FONT, spacer pictures, upper-case tags, P and LI that nobody closes."""

from __future__ import annotations

from demo.layouts.pieces import parts_html
from demo.page import Page

__all__ = ["render"]

_CAPTION = (
    '<TABLE ALIGN=right WIDTH=180 CELLPADDING=4><TR><TD><IMG SRC="/img/{name}.jpg" WIDTH=172></TD></TR>\n'
    "<TR><TD><FONT SIZE=1>{text}</FONT></TD></TR></TABLE>"
)
_WITH_BREAKS = {
    "paragraph": "{text}<BR><BR>",
    "heading": "<B>{text}</B><BR>",
    "quote": "<BLOCKQUOTE><I>{text}</I></BLOCKQUOTE>",
    "list": "<UL>\n{items}\n</UL>",
    "steps": "<OL>\n{items}\n</OL>",
    "item": "<LI>{text}",
    "caption": _CAPTION,
}
_WITH_OPEN_PARAGRAPHS = {
    **_WITH_BREAKS,
    "paragraph": '<P><FONT FACE="Verdana, Arial" SIZE=2>{text}</FONT>',
    "heading": '<P><FONT FACE="Verdana, Arial" SIZE=3 COLOR="#993300"><B>{text}</B></FONT>',
}


def render(page: Page) -> str:
    """Render the page."""
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<HTML>
{_head(page)}
<BODY BGCOLOR="#FFFFFF" TEXT="#000000" LINK="{page.site.colour}" TOPMARGIN=0 MARGINWIDTH=0>
<CENTER>
<TABLE WIDTH=780 BORDER=0 CELLPADDING=0 CELLSPACING=0>
{_banner(page)}
<TR>
{_left(page)}
<TD WIDTH=12><IMG SRC="/img/spacer.gif" WIDTH=12 HEIGHT=1></TD>
<TD WIDTH=440 VALIGN=top>
{_article(page)}
</TD>
<TD WIDTH=12><IMG SRC="/img/spacer.gif" WIDTH=12 HEIGHT=1></TD>
{_right(page)}
</TR>
{_bottom(page)}
</TABLE>
</CENTER>
</BODY>
</HTML>
"""


def _head(page: Page) -> str:
    return f"""<HEAD>
<TITLE>{page.text(page.site.name)} - {page.text(page.article.title)}</TITLE>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=iso-8859-1">
<META NAME="GENERATOR" CONTENT="PageSmith Pro 4.0">
<STYLE TYPE="text/css"><!--
A:hover {{ color: #CC0000; text-decoration: underline }}
.klein {{ font-size: 10px }}
--></STYLE>
<SCRIPT LANGUAGE="JavaScript"><!--
function openWin(u) {{ window.open(u, "print", "width=600,height=500,scrollbars=yes"); }}
if (top != self) top.location = self.location;
//--></SCRIPT>
</HEAD>"""


def _banner(page: Page) -> str:
    links = "&nbsp;|&nbsp;".join(f'<A HREF="/{i}/index.htm">{name}</A>' for i, name in enumerate(page.sections))
    return f"""<!-- begin header -->
<TR><TD COLSPAN=5 BGCOLOR="{page.site.colour}"><TABLE WIDTH="100%"><TR>
<TD><FONT FACE="Times" SIZE=6 COLOR="#FFFFFF"><B>{page.text(page.site.name)}</B></FONT></TD>
<TD ALIGN=right><FONT SIZE=1 COLOR="#FFFFFF">{page.date}</FONT></TD>
</TR></TABLE></TD></TR>
<TR><TD COLSPAN=5 BGCOLOR="#DDDDDD" ALIGN=center><FONT SIZE=1>
{links}
</FONT></TD></TR>
<TR><TD COLSPAN=5><IMG SRC="/img/spacer.gif" WIDTH=1 HEIGHT=8></TD></TR>
<!-- end header -->"""


def _left(page: Page) -> str:
    rows = "\n".join(
        f'<TR><TD BGCOLOR="#EEEEEE"><FONT SIZE=2>&nbsp;&raquo;&nbsp;<A HREF="/{i}/">{name}</A></FONT></TD></TR>'
        for i, name in enumerate(page.sections)
    )
    poll = page.language.chrome["poll"]
    options = "\n".join(
        f"<INPUT TYPE=radio NAME=v VALUE={i}> {page.text(option)}<BR>" for i, option in enumerate(poll["options"])
    )
    return f"""<TD WIDTH=150 VALIGN=top>
<TABLE WIDTH=150 CELLPADDING=2 CELLSPACING=1>
{rows}
</TABLE>
<BR>
<TABLE WIDTH=150 BGCOLOR="#FFFFCC" CELLPADDING=4><TR><TD><FONT SIZE=2>
<B>{page.word("poll")}</B><BR>
{page.text(poll["question"])}<BR>
<FORM ACTION="/cgi-bin/poll.pl" METHOD=POST>
{options}
<INPUT TYPE=submit VALUE="{page.word("vote")}">
</FORM>
</FONT></TD></TR></TABLE>
</TD>"""


def _article(page: Page) -> str:
    article = page.article
    forms = page.pick("breaks", "open")
    parts = parts_html(page, _WITH_BREAKS if forms == "breaks" else _WITH_OPEN_PARAGRAPHS)
    body = "\n".join(parts)
    if forms == "breaks":
        body = f'<FONT FACE="Arial, Helvetica" SIZE=2>\n{body}\n</FONT>'
    return f"""<FONT SIZE=1><A HREF="/">{page.word("home")}</A> &gt;
<A HREF="/1/">{page.sections[1]}</A></FONT><BR>
<IMG SRC="/img/spacer.gif" WIDTH=1 HEIGHT=6><BR>
<FONT FACE="Times" SIZE=5><B>{page.rich(article.title)}</B></FONT><BR>
<FONT FACE="Times" SIZE=3 COLOR="#666666">{page.rich(article.standfirst)}</FONT><BR>
<FONT SIZE=1>{page.date}, {page.text(article.author)}</FONT><BR><BR>
<!-- text -->
{body}
<!-- /text -->
<HR SIZE=1 NOSHADE>
<FONT SIZE=1><A HREF="javascript:openWin('print.htm')">{page.word("print")}</A>&nbsp;|&nbsp;
<A HREF="mailto:post@{page.site.host.removeprefix("www.")}">{page.word("contact")}</A>&nbsp;|&nbsp;
<A HREF="#top">{page.word("top")}</A></FONT>
{_letters(page)}"""


def _letters(page: Page) -> str:
    """Letters of readers below the text, in a table of their own."""
    rows = "\n".join(
        f'<TR><TD BGCOLOR="#F4F4F4"><FONT SIZE=2>{page.text(comment["text"])}<BR>'
        f"<I>{page.text(comment['author'])}</I></FONT></TD></TR>"
        for comment in page.comments[:2]
    )
    return f"""<TABLE WIDTH="100%" CELLPADDING=4 CELLSPACING=2>
<TR><TD><B>{page.word("comments")}</B></TD></TR>
{rows}
</TABLE>"""


def _right(page: Page) -> str:
    rows = "\n".join(
        f"""<TR><TD VALIGN=top><FONT SIZE=2><B>
<A HREF="/n/{3100 + i}.htm">{page.text(teaser.title)}</A></B><BR>
{page.text(teaser.text)}
<A HREF="/n/{3100 + i}.htm">{page.word("more")}</A></FONT></TD></TR>
<TR><TD><IMG SRC="/img/spacer.gif" WIDTH=1 HEIGHT=10></TD></TR>"""
        for i, teaser in enumerate(page.teasers[:4])
    )
    return f"""<TD WIDTH=166 VALIGN=top>
<TABLE WIDTH=166 CELLPADDING=3 CELLSPACING=0>
<TR><TD BGCOLOR="{page.site.colour}">
<FONT COLOR="#FFFFFF" SIZE=2><B>{page.word("related")}</B></FONT></TD></TR>
{rows}
<TR><TD BGCOLOR="#CCFFCC"><FONT SIZE=1>{page.word("advertisement")}<BR>
<B>{page.text(page.advertisement["text"])}</B></FONT></TD></TR>
</TABLE>
</TD>"""


def _bottom(page: Page) -> str:
    return f"""<!-- begin footer -->
<TR><TD COLSPAN=5><HR><CENTER><FONT SIZE=1>
<A HREF="/impr.htm">{page.word("imprint")}</A>&nbsp;|&nbsp;<A HREF="/agb.htm">{page.word("terms")}</A><BR>
&copy; {page.article.date[:4]} {page.text(page.site.name)}. {page.text(page.footer)}
</FONT></CENTER></TD></TR>
<!-- end footer -->"""
