"""Code: its lines, its language, and what stands beside it."""

import numpy as np
import pytest
from lxml import etree

from blockfeat.content.code import code_marks
from blocks_of import blocks_of
from cases import CASES
from golden_formats import all_kept
from tei_schema import validate_tei


@pytest.mark.parametrize("inside", CASES["code_keeps_its_lines"])
def test_code_keeps_its_lines(inside: str) -> None:
    found = all_kept(f"<p>one<pre>{inside}</pre><p>two")
    assert found.to_markdown() == "one\n\n```\na = 1\n\n  b = 2\n```\n\ntwo"
    assert found.text == "one\n\na = 1\n\n  b = 2\n\ntwo"


@pytest.mark.parametrize("markup", CASES["code_has_its_language"])
def test_code_has_its_language(markup: str) -> None:
    found = all_kept(f"<p>one{markup}<p>two")
    assert "```rust\nx\n```" in found.to_markdown()
    assert '<pre><code class="language-rust">x</code></pre>' in found.to_html()
    assert '<code xml:space="preserve" lang="rust">x</code>' in found.to_xml()
    validate_tei(etree.fromstring(found.to_xml().encode()))


@pytest.mark.parametrize(
    "names", ["language-text", "highlight-default", "line-numbers", 'language-"><script>', "code rusty"]
)
def test_other_classes_are_no_language(names: str) -> None:
    assert "```\nx\n```" in all_kept(f"<p>one<pre class='{names}'>x</pre><p>two").to_markdown()


GUTTER = (
    '<table><tr><td class="gutter"><pre>1<br>2<br></pre></td><td class="code"><pre>a<br>b<br></pre></td></tr></table>'
)


@pytest.mark.parametrize(
    ("markup", "marks"),
    [
        (f'<figure class="highlight js">{GUTTER}</figure>', ["1 2"]),
        ("<div class=language-js><span>js</span><pre>a\nb</pre><div>1<br>2</div></div>", ["js", "1 2"]),
        ("<table><tr><td><div>7</div><div>8</div><td><pre>a\nb</pre></table>", ["7", "8"]),
        ("<div><p>1</p><p>3</p><pre>a\nb</pre></div>", []),
        ("<div><pre>1\n2</pre><p>12</p></div>", []),
        ("<section><p>The pump runs.</p><p>1</p><pre>a</pre></section>", []),
    ],
)
def test_what_only_marks_code_is_found(markup: str, marks: list[str]) -> None:
    blocks = blocks_of(f"<p>one</p>{markup}<p>two</p>")
    assert blocks.texts(code_marks(blocks, np.ones(len(blocks), dtype=np.bool_))) == marks
    assert code_marks(blocks, np.zeros(len(blocks), dtype=np.bool_)) == []
