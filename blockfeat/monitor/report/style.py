"""Style of the report page: light and dark, narrow and wide."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b2430; --faint: #5a6675; --line: #dde2e8; --link: #1c5fb0;
  --part-0: #2a78d6; --part-1: #93bdec; --part-2: #c3cad3;
  --series-0: #2a78d6; --series-1: #eb6834; --series-2: #1baf7a; --series-3: #c98a00; --series-4: #d9649a;
  --series-5: #4a3aa7; --series-6: #8a93a0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --card: #1a2027; --ink: #e4e9ef; --faint: #98a4b2; --line: #2d3640; --link: #7fb4f0;
    --part-0: #4d94e8; --part-1: #2c5688; --part-2: #424c58;
    --series-0: #4d94e8; --series-1: #e07a4d; --series-2: #2fb886; --series-3: #d3a02f; --series-4: #d978a5;
    --series-5: #8f83e0; --series-6: #7c8795;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
header, main, footer { max-width: 68rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1.75rem; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0 0 .75rem; font-size: 1rem; }
p { margin: 0 0 .75rem; }
.about, .none, footer { color: var(--faint); font-size: .9rem; }
dl { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
dl div, section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
dl div { padding: .35rem .75rem; }
dt { color: var(--faint); font-size: .75rem; }
dd { margin: 0; font-weight: 600; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
main { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; padding-bottom: 1rem; }
section { padding: .9rem 1rem; min-width: 0; }
section.wide { grid-column: 1 / -1; }
@media (max-width: 44rem) { main { grid-template-columns: minmax(0, 1fr); } }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: 0 0 .6rem; padding: 0; list-style: none;
  color: var(--faint); font-size: .8rem; }
.legend li::before { content: ""; display: inline-block; width: .75rem; height: .75rem; border-radius: .15rem;
  margin-right: .35rem; vertical-align: -.05rem; background: var(--colour); }
.bars { display: grid; gap: .3rem; }
.row { display: grid; grid-template-columns: minmax(4rem, 32%) 1fr 3.2rem; gap: .6rem; align-items: center; }
.label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .85rem; }
.value { text-align: right; font-size: .85rem; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; }
.bar { height: .95rem; border-radius: .15rem; }
.part-0 { fill: var(--part-0); } .part-1 { fill: var(--part-1); } .part-2 { fill: var(--part-2); }
.series-0 { fill: var(--series-0); } .series-1 { fill: var(--series-1); } .series-2 { fill: var(--series-2); }
.series-3 { fill: var(--series-3); } .series-4 { fill: var(--series-4); } .series-5 { fill: var(--series-5); }
.series-6 { fill: var(--series-6); }
.plot { display: grid; grid-template-columns: auto 1fr; gap: .25rem .5rem; color: var(--faint); font-size: .75rem;
  font-variant-numeric: tabular-nums; }
.scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right; line-height: 1; }
.daily { border-bottom: 1px solid var(--faint); }
.daily line { stroke: var(--line); }
.days { grid-column: 2; display: flex; justify-content: space-between; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--faint); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.sentence { min-width: 16rem; overflow-wrap: anywhere; }
td.day { white-space: nowrap; }
a { color: var(--link); }
mark { background: none; color: inherit; font-weight: 700; text-decoration: underline; text-underline-offset: .15em; }
footer { padding-bottom: 2rem; }
@media (max-width: 44rem) {
  .latest, .latest tbody, .latest tr, .latest td.sentence { display: block; min-width: 0; }
  .latest tr { border-bottom: 1px solid var(--line); padding: .3rem 0; }
  .latest tr:first-child { display: none; }
  .latest td { display: inline-block; border: 0; padding: 0 .6rem 0 0; color: var(--faint); }
  .latest td.sentence { color: var(--ink); }
}
@media print { section { break-inside: avoid; } }
"""
