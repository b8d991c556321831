"""The style sheet of the explanation page."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b2430; --faint: #5d6876; --line: #dde2e8;
  --kept: #1a7f4b; --kept-tint: #eaf7f0; --dropped: #a8483f; --dropped-tint: #f4efee; --chip: #eceff3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --card: #1a2027; --ink: #e4e9ef; --faint: #98a4b2; --line: #2d3640;
    --kept: #4cc38a; --kept-tint: #14291f; --dropped: #e5847a; --dropped-tint: #231c1d; --chip: #262e37;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1.75rem; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
.address { margin: 0 0 1rem; color: var(--faint); font-size: .9rem; overflow-wrap: anywhere; }
dl.facts { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1rem; }
dl.facts div {
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .35rem .75rem;
}
dl.facts dt { color: var(--faint); font-size: .75rem; }
dl.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.share { display: flex; height: .5rem; border-radius: .25rem; overflow: hidden; background: var(--dropped); }
.share span { background: var(--kept); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .6rem 0 1rem; padding: 0;
  list-style: none; color: var(--faint); font-size: .85rem; }
.swatch { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; border-radius: .2rem;
  vertical-align: -.05rem; }
.swatch.kept { background: var(--kept); }
.swatch.dropped { background: var(--dropped); }
.notice { border: 1px solid var(--dropped); border-radius: .5rem; padding: .5rem .75rem; margin: 0 0 1rem;
  background: var(--dropped-tint); overflow-wrap: anywhere; }
.filter { position: sticky; top: 0; z-index: 1; background: var(--page); padding: .5rem 0;
  margin-bottom: .25rem; }
.filter label { display: inline-block; padding: .25rem .75rem; margin-right: .25rem;
  border: 1px solid var(--line); border-radius: 1rem; background: var(--card);
  font-size: .85rem; cursor: pointer; }
.choice { position: absolute; opacity: 0; }
#show-all:checked ~ .filter [for=show-all], #show-kept:checked ~ .filter [for=show-kept],
#show-dropped:checked ~ .filter [for=show-dropped] {
  background: var(--ink); color: var(--page); border-color: var(--ink);
}
#show-all:focus-visible ~ .filter [for=show-all], #show-kept:focus-visible ~ .filter [for=show-kept],
#show-dropped:focus-visible ~ .filter [for=show-dropped] {
  outline: 2px solid var(--kept); outline-offset: 2px;
}
#show-kept:checked ~ .block.dropped, #show-dropped:checked ~ .block.kept { display: none; }
.block {
  border: 1px solid var(--line); border-left: .3rem solid var(--dropped); border-radius: .5rem;
  background: var(--dropped-tint); padding: .6rem .9rem; margin: 0 0 .6rem; content-visibility: auto;
  contain-intrinsic-size: auto 6rem;
}
.block.kept { border-left-color: var(--kept); background: var(--kept-tint); }
.line { display: flex; flex-wrap: wrap; align-items: baseline; gap: .15rem .6rem; font-size: .8rem;
  color: var(--faint); }
.verdict { font-weight: 700; }
.kept .verdict { color: var(--kept); }
.dropped .verdict { color: var(--dropped); }
.chip { background: var(--chip); border-radius: .3rem; padding: 0 .4rem; }
.score { margin-left: auto; font-variant-numeric: tabular-nums; }
.words { margin: .3rem 0; overflow-wrap: anywhere; }
.dropped .words { color: var(--faint); }
.words.heading { font-weight: 700; font-size: 1.1rem; }
.words.preformatted { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .85rem;
  white-space: pre-wrap; }
.words.list_item::before { content: "\\2022\\00a0"; }
.words.quote { border-left: 2px solid var(--line); padding-left: .75rem; font-style: italic; }
.reason { margin: 0; font-size: .85rem; }
details { font-size: .85rem; margin-top: .3rem; }
summary { cursor: pointer; color: var(--faint); }
table { border-collapse: collapse; width: 100%; margin: .4rem 0; }
th, td { text-align: left; font-weight: 400; padding: .15rem .5rem .15rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td.value { text-align: right; font-variant-numeric: tabular-nums; }
tr.failed th, tr.failed td { color: var(--dropped); font-weight: 600; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .8rem; overflow-wrap: anywhere; }
footer { color: var(--faint); font-size: .8rem; padding-top: 1rem; padding-bottom: 2rem; }
@media print { .filter, .choice { display: none; } .block { break-inside: avoid; } }
"""
