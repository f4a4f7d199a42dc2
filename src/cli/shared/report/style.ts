/** The style of the report: readable in light and dark, and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --ground: #fcfcfb; --card: #fff; --ink: #1c1c1a; --soft: #6a6963; --rule: #e4e2dc;
  --first: #2a6fdb; --second: #d9622b; --good: #1a7f4b; --bad: #c0362c; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #161615; --card: #1f1f1d; --ink: #ecebe6; --soft: #a09f98; --rule: #383733;
    --first: #6ba3f5; --second: #f08a56; --good: #56c28b; --bad: #f07a70; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 880px; padding: 32px 20px 64px; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 22px; margin: 0 0 2px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 32px 0 8px; overflow-wrap: anywhere; }
p { margin: 0 0 8px; } .soft { color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(125px, 1fr)); gap: 10px; margin: 14px 0; }
.tile, figure, .scroll { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
.tile { padding: 10px 14px; } .tile b { display: block; font-size: 20px; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; } .bad { color: var(--bad); } .good { color: var(--good); }
figure { margin: 14px 0; padding: 12px 14px 8px; break-inside: avoid; }
figcaption { font-weight: 600; margin-bottom: 4px; display: flex; flex-wrap: wrap; gap: 4px 18px; justify-content: space-between; }
.legend { font-weight: 400; font-size: 13px; display: flex; flex-wrap: wrap; gap: 2px 14px; }
.key i { display: inline-block; width: 14px; height: 3px; border-radius: 2px; margin-right: 6px; vertical-align: 4px; background: var(--c); }
svg { display: block; width: 100%; height: auto; } svg text { font-size: 12px; fill: var(--soft); }
.series-0 { --c: var(--first); } .series-1 { --c: var(--second); }
.grid { stroke: var(--rule); stroke-width: 1; } .axis { stroke: var(--soft); stroke-width: 1; }
.line { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
.area { fill: var(--c); opacity: 0.16; } circle { fill: var(--c); }
circle.mark { fill: none; stroke: var(--good); stroke-width: 2; } svg text.mark-label { fill: var(--good); font-weight: 600; paint-order: stroke; stroke: var(--card); stroke-width: 5px; }
.scroll { overflow-x: auto; margin: 8px 0; } table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { padding: 6px 9px; text-align: right; white-space: nowrap; border-top: 1px solid var(--rule); font-variant-numeric: tabular-nums; }
tr:first-child th { border-top: 0; } th { color: var(--soft); font-weight: 500; } tr.knee td { color: var(--good); font-weight: 600; }
th:first-child, td:first-child, td.words { text-align: left; } td.words { white-space: normal; overflow-wrap: anywhere; }
code { font: 13px ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
@media (max-width: 600px) { figure { overflow-x: auto; } svg { width: 600px; } }
@media print { body { max-width: none; padding: 0; } }
`;
