"""The style sheet of the page: two colour schemes, narrow and wide, and paper."""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fbfbf9; --card: #ffffff; --ink: #1b2126; --ink-2: #55606b; --rule: #dde1e4; --soft: #f1f3f2;
  --accent: #00507f; --accent-soft: #e6f0f6; --warn: #8a4b00; --warn-soft: #fff3df; --warn-rule: #f0c987;
  --s1: #0072b2; --s2: #d55e00; --s3: #009e73; --s4: #c0629a; --s5: #d29000; --s6: #56b4e9; --s7: #7a5195;
  --s8: #8c8c8c;
  --font: "Inter", "Source Sans 3", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial,
    "Noto Sans", "DejaVu Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas,
    "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181b; --card: #1b2024; --ink: #e8eaec; --ink-2: #a9b3bc; --rule: #343c43; --soft: #22282d;
    --accent: #7cc4f0; --accent-soft: #17303f; --warn: #f2c27c; --warn-soft: #33260f; --warn-rule: #6d5020;
    --s1: #4ea8de; --s2: #ff8c42; --s3: #2ec4a0; --s4: #e39cc4; --s5: #ffc247; --s6: #9ad4f5; --s7: #b79ad6;
    --s8: #a8a8a8;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--font);
  -webkit-text-size-adjust: 100%;
}
header, .columns { max-width: 84rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; padding-bottom: 1.25rem; }
h1 { font-size: clamp(1.6rem, 4vw, 2.3rem); line-height: 1.15; letter-spacing: -0.015em; margin: 0 0 0.6rem; }
h2 { font-size: 1.4rem; line-height: 1.25; letter-spacing: -0.01em; margin: 0 0 0.3rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: 0 0 0.75rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
code { font: 0.88em/1.45 var(--mono); background: var(--soft); border-radius: 0.25rem; padding: 0.08em 0.3em;
  overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: 0.4rem 1.6rem; margin: 0; padding: 0; list-style: none;
  color: var(--ink-2); }
.facts b { color: var(--ink); font-variant-numeric: tabular-nums; }
nav ol { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 0.28rem 0.6rem; border-left: 2px solid var(--rule); text-decoration: none;
  color: var(--ink-2); font-size: 0.93rem; }
nav a:hover, nav a:focus-visible { color: var(--accent); border-color: var(--accent); }
nav h2 { font-size: 0.78rem; letter-spacing: 0.07em; text-transform: uppercase; color: var(--ink-2);
  margin: 0 0 0.5rem; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 0.7rem; padding: 1.5rem;
  margin: 0 0 1.5rem; min-width: 0; }
.question { color: var(--ink-2); font-style: italic; margin-bottom: 0.9rem; }
.answer { border-left: 4px solid var(--accent); background: var(--accent-soft);
  border-radius: 0 0.4rem 0.4rem 0; padding: 0.75rem 1rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
details { border-top: 1px solid var(--rule); }
summary { padding: 0.5rem 0; cursor: pointer; font-weight: 600; font-size: 0.95rem; overflow-wrap: anywhere; }
summary:hover, summary:focus-visible { color: var(--accent); }
.answer p { margin: 0; font-weight: 600; }
.answer ul { margin: 0.55rem 0 0; padding-left: 1.15rem; font-size: 0.95rem; }
.answer li { margin: 0.3rem 0; }
.warnings { list-style: none; margin: 0 0 1rem; padding: 0; }
.warnings li { border: 1px solid var(--warn-rule); background: var(--warn-soft); color: var(--warn);
  border-radius: 0.4rem; padding: 0.45rem 0.8rem; margin-bottom: 0.4rem; font-size: 0.93rem;
  overflow-wrap: anywhere; }
.warnings li::before { content: "⚠"; margin-right: 0.5em; }
.found { display: grid; gap: 0.9rem; margin: 0.9rem 0 0; padding: 0; list-style: none; }
.found li { border-top: 1px solid var(--rule); padding-top: 0.8rem; overflow-wrap: anywhere; }
.found h3 { display: flex; flex-wrap: wrap; gap: 0.2rem 0.7rem; align-items: baseline; }
.found p { margin: 0.15rem 0 0; }
.badge { font-size: 0.78rem; font-weight: 500; color: var(--warn); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr));
  gap: 1.25rem; margin: 1.1rem 0; align-items: start; }
figure { margin: 0; min-width: 0; }
.figures figure { max-width: 35rem; }
.figures svg { display: block; width: 100%; height: auto; }
svg * { stroke-linejoin: round; stroke-linecap: butt; }
figcaption { margin: 0 0 0.45rem; font-weight: 600; line-height: 1.35; overflow-wrap: anywhere; }
.table { margin: 1.25rem 0 0; }
.made { margin: 0.3rem 0 0; font-size: 0.8rem; color: var(--ink-2); }
.made code { background: none; padding: 0; }
.scroll { overflow: auto; max-height: 36rem; border: 1px solid var(--rule); border-radius: 0.45rem; }
.scroll:focus-visible { outline: 2px solid var(--accent); }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: 0.89rem; line-height: 1.4; }
th, td { padding: 0.42rem 0.7rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--rule); }
tr:last-child > * { border-bottom: 0; }
thead th { position: sticky; top: 0; background: var(--soft); font-weight: 600;
  z-index: 1; vertical-align: bottom; }
tbody th { font-weight: 500; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.n { white-space: nowrap; }
td.long { min-width: 10.5rem; overflow-wrap: anywhere; }
td.mid { min-width: 6rem; overflow-wrap: anywhere; }
tbody th { min-width: 7rem; overflow-wrap: break-word; }
.ci { color: var(--ink-2); font-size: 0.88em; }
.wide .ci { display: block; }
.how { color: var(--ink-2); font-size: 0.9rem; margin: 1.25rem 0 0; }
.how p { margin: 0 0 0.4rem; overflow-wrap: anywhere; }
footer { color: var(--ink-2); font-size: 0.85rem; padding: 0 0 3rem; }
@media (min-width: 70rem) {
  .columns { display: grid; grid-template-columns: 12rem minmax(0, 1fr); gap: 1.5rem; align-items: start; }
  nav { position: sticky; top: 1.25rem; max-height: calc(100vh - 2rem); overflow: auto; }
}
@media (max-width: 69.99rem) {
  nav { margin: 0 0 1.25rem; }
  nav ol { display: flex; flex-wrap: wrap; gap: 0.35rem; }
  nav a { border: 1px solid var(--rule); border-radius: 1rem; padding: 0.15rem 0.75rem; }
}
@media (max-width: 36rem) {
  header, .columns { padding-left: 0.8rem; padding-right: 0.8rem; }
  header { padding-top: 1.4rem; }
  section { padding: 1rem 0.9rem; border-radius: 0.5rem; }
}
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --ink-2: #444; --rule: #bbb; --soft: #f2f2f2;
    --accent: #00507f; --accent-soft: #fff; }
  body { font-size: 9.5pt; }
  nav { display: none; }
  .columns { display: block; max-width: none; }
  section { border: 0; padding: 0; break-inside: auto; }
  .scroll { max-height: none; overflow: visible; border: 0; }
  thead th { position: static; }
  figure, .answer, tr { break-inside: avoid; }
  h2, figcaption { break-after: avoid; }
  td.long { min-width: 0; }
}
"""
