// A sign and a currency in either order, then digits, in groups of three or not at all.
const NUMBER = /^([+-]?)[$€£]?([+-]?)((?:\d+|\d{1,3}(?:[, ]\d{3})+)(?:\.\d+)?|\.\d+)$/;

/** Reads a model's answer as a number; undefined where it is none, or where it could mean two. */
export function parseNumber(answer: string): number | undefined {
  const match = NUMBER.exec(tidy(answer));
  if (match === null) return undefined;
  const [, before = '', after = '', digits = ''] = match;
  if (before !== '' && after !== '') return undefined;
  const value = Number(digits.replaceAll(/[, ]/g, ''));
  // Adding zero turns -0 into 0, which is what "-0" means.
  return (before + after === '-' ? -value : value) + 0;
}

function tidy(answer: string): string {
  return answer
    .trim()
    .replaceAll('\u2212', '-')
    .replaceAll(/\s+/g, ' ')
    .replace(/^([+-]?) ?([$€£]?) ?([+-]?) ?/, '$1$2$3')
    .replace(/ ?([$€£]) ?\.?$/, '')
    .replace(/ ?\.$/, '');
}
