// Browsers cut elements that are much higher than this.
const HIGHEST = 15_000_000;
// Rows beyond both ends of the screen, so that fast scrolling does not show gaps.
const SPARE = 6;

/** What a list looks like at the moment. */
export interface ListView {
  readonly count: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  /** Of the part that is on the screen. */
  readonly height: number;
}

/** Which rows of a list exist, and where. */
export interface ListLayout {
  readonly first: number;
  /** After the last one. */
  readonly last: number;
  /** Where the first row is, in px. */
  readonly offset: number;
  /** How high the list is. */
  readonly total: number;
  /** Where to scroll to in order to see a row. */
  topOf(row: number): number;
}

/** Chooses the rows of a list to show. A list too high for a browser is drawn to scale: one px of scrolling is then more than one of rows. */
export function placeRows({ count, rowHeight, scrollTop, height }: ListView): ListLayout {
  const real = count * rowHeight;
  const total = Math.min(real, HIGHEST);
  const scale = total === real ? 1 : (real - height) / Math.max(1, total - height);
  const seen = Math.max(0, Math.min(scrollTop, total - height));
  const top = seen * scale;
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + SPARE);
  return { first, last, offset: seen + first * rowHeight - top, total, topOf: (row) => (row * rowHeight) / scale };
}
