import { compiler } from 'markdown-to-jsx/react';
import { createElement, memo, type ReactElement, type ReactNode, useMemo, useState } from 'react';
import { isDrawn } from '../data/drawn.ts';
import { formatBytes } from '../data/format.ts';
import { toPieces } from '../data/pieces.ts';
import { toSafeText } from '../data/safe-text.ts';
import { LongText } from './long-text.tsx';

// A page stays quick with this much Markdown at a time.
const PIECE = 16_000;

// All that Markdown can become here. Anything else is only its children: no HTML, nothing that loads, nothing that leads away.
const TAGS = new Set(
  'p h1 h2 h3 h4 h5 h6 strong em del code pre blockquote ul ol li table thead tbody tr th td hr br div span'.split(' '),
);

/** Text of somebody else's, with its Markdown shown. No HTML is made of it, only elements of the list above. */
export function Markdown({ text }: { readonly text: string }): ReactElement {
  const pieces = useMemo(() => toPieces(text, PIECE), [text]);
  const [shown, show] = useState(1);
  const left = pieces.slice(shown).reduce((sum, { length }) => sum + length, 0);
  return (
    <div className="markdown" dir="auto">
      {pieces.slice(0, shown).map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces never change their places.
        <Piece key={at} text={piece} />
      ))}
      {left > 0 && (
        <button type="button" className="quiet" onClick={() => show(shown + 4)}>
          Show more ({formatBytes(left)} left)
        </button>
      )}
    </div>
  );
}

const Piece = memo(function Piece({ text }: { readonly text: string }): ReactNode {
  return toElements(text);
});

function toElements(text: string): ReactNode {
  try {
    return compiler(toSafeText(text), {
      disableParsingRawHTML: true,
      forceBlock: true,
      wrapper: null,
      createElement: (tag, props, ...children) => safeElement(String(tag), props as Attributes, children),
    });
  } catch {
    return <LongText text={text} />;
  }
}

interface Attributes {
  readonly key?: string;
  readonly href?: unknown;
  readonly src?: unknown;
  readonly alt?: unknown;
  readonly start?: unknown;
  readonly checked?: unknown;
  readonly type?: unknown;
}

function safeElement(tag: string, given: Attributes | null, children: ReactNode[]): ReactNode {
  const { key, href, src, alt, start, checked, type } = given ?? {};
  if (tag === 'a') return createElement('span', { key, className: 'inert-link' }, ...children, target(href, children));
  if (tag === 'img')
    return createElement('span', { key, className: 'inert-link' }, `image ${String(alt ?? '')} `, target(src, []));
  if (tag === 'input' && type === 'checkbox') return createElement('span', { key }, checked === true ? '☑' : '☐');
  if (!TAGS.has(tag)) return createElement('span', { key }, ...children);
  // Headings of a text are below those of the page.
  const shown = /^h[1-6]$/.test(tag) ? 'h3' : tag;
  const first = tag === 'ol' && Number.isInteger(start) ? { start: start as number } : {};
  const drawn = tag === 'p' && isDrawn(children.flat(3).join('')) ? { className: 'drawn' } : {};
  return createElement(shown, { key, ...first, ...drawn }, ...children);
}

/** Where a link would lead: to read, not to click. */
function target(address: unknown, children: readonly ReactNode[]): ReactNode {
  const text = typeof address === 'string' ? address : '';
  if (text === '' || children.flat().join('') === text) return null;
  return createElement('code', { key: 'target' }, ` ${toSafeText(text)}`);
}
