import type { Axis } from './axis.ts';
import { escapeHtml } from './escape.ts';

/** One line of a chart. */
export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** 'area' fills what is below the line; 'dots' marks each point, and says on hovering what it is. */
  readonly shape: 'line' | 'area' | 'dots';
}

/** A point of a line, in the values of the axes. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly label?: string;
}

/** A chart of one or more lines. */
export interface Chart {
  readonly title: string;
  readonly xName: string;
  readonly yName: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** A point to point at. */
  readonly mark?: Point & { readonly label: string };
}

const WIDTH = 720;
const HEIGHT = 280;
const LEFT = 72;
const RIGHT = 30;
const TOP = 28;
const BOTTOM = 44;

/** A chart as SVG, with its title and legend, for a page that has the style for it. */
export function toFigure(chart: Chart): string {
  const { title, series } = chart;
  const legend = series
    .map(({ name }, index) => `<span class="key series-${index}"><i></i>${escapeHtml(name)}</span>`)
    .join('');
  return `<figure>
<figcaption>${escapeHtml(title)}${series.length > 1 ? `<span class="legend">${legend}</span>` : ''}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(title)}">
${toGrid(chart)}
${series.map((each, index) => `<g class="series-${index}">${toShape(each, chart)}</g>`).join('\n')}
${toMark(chart)}
</svg>
</figure>`;
}

function across(chart: Chart, x: number): string {
  return (LEFT + chart.x.place(x) * (WIDTH - LEFT - RIGHT)).toFixed(1);
}

function up(chart: Chart, y: number): string {
  return (HEIGHT - BOTTOM - chart.y.place(y) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
}

function toGrid(chart: Chart): string {
  const bottom = HEIGHT - BOTTOM;
  const rows = chart.y.ticks.map(({ value, label }) => {
    const y = up(chart, value);
    return (
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/>` +
      `<text class="tick" x="${LEFT - 8}" y="${y}" dy="0.32em" text-anchor="end">${escapeHtml(label)}</text>`
    );
  });
  const columns = chart.x.ticks.map(({ value, label }) => {
    const x = across(chart, value);
    return (
      `<line class="grid" x1="${x}" x2="${x}" y1="${bottom}" y2="${bottom + 4}"/>` +
      `<text class="tick" x="${x}" y="${bottom + 17}" text-anchor="middle">${escapeHtml(label)}</text>`
    );
  });
  return [
    ...rows,
    ...columns,
    `<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${bottom}" y2="${bottom}"/>`,
    `<text class="name" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escapeHtml(chart.xName)}</text>`,
    `<text class="name" transform="translate(14 ${(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">${escapeHtml(chart.yName)}</text>`,
  ].join('\n');
}

function toShape({ points, shape }: Series, chart: Chart): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return '';
  const path = points.map(({ x, y }) => `${across(chart, x)},${up(chart, y)}`).join(' L');
  const bottom = HEIGHT - BOTTOM;
  const area =
    shape === 'area'
      ? `<path class="area" d="M${across(chart, first.x)},${bottom} L${path} L${across(chart, last.x)},${bottom} Z"/>`
      : '';
  const dots =
    shape === 'dots'
      ? points
          .map(
            ({ x, y, label = '' }) =>
              `<circle cx="${across(chart, x)}" cy="${up(chart, y)}" r="4"><title>${escapeHtml(label)}</title></circle>`,
          )
          .join('')
      : '';
  return `${area}<path class="line" d="M${path}"/>${dots}`;
}

function toMark(chart: Chart): string {
  const { mark } = chart;
  if (mark === undefined) return '';
  const [x, y] = [across(chart, mark.x), up(chart, mark.y)];
  const place = chart.x.place(mark.x);
  const anchor = place > 0.85 ? 'end' : place < 0.15 ? 'start' : 'middle';
  return (
    `<circle class="mark" cx="${x}" cy="${y}" r="8"/>` +
    `<text class="mark-label" x="${x}" y="${y}" dy="-1.2em" text-anchor="${anchor}">${escapeHtml(mark.label)}</text>`
  );
}
