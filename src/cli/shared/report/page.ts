import { escapeHtml } from './escape.ts';
import { STYLE } from './style.ts';

/** A report as one file: it loads nothing, and runs nothing. */
export function toPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** A number, large, and what it is. */
export function tile(name: string, value: string, tone = ''): string {
  return `<div class="tile"><b class="${tone}">${escapeHtml(value)}</b><span>${escapeHtml(name)}</span></div>`;
}

/** Rows under a head; one of them may be marked. */
export function toHtmlTable(head: readonly string[], rows: readonly (readonly string[])[], marked?: number): string {
  const toRow = (cells: readonly string[], tag: 'th' | 'td') =>
    cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('');
  const body = rows.map((row, index) => `<tr${index === marked ? ' class="knee"' : ''}>${toRow(row, 'td')}</tr>`);
  return `<div class="scroll"><table><tr>${toRow(head, 'th')}</tr>${body.join('')}</table></div>`;
}
