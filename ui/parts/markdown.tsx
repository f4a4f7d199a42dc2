import { compiler } from 'markdown-to-jsx/react';
import { createElement, type ReactElement, type ReactNode, useMemo } from 'react';
import { isDrawn } from '../data/drawn.ts';
import { toSafeText } from '../data/safe-text.ts';
import { LongText } from './long-text.tsx';

// Whoever writes more than this does not write for the eye, and parsing it would take too long.
const LONGEST = 50_000;

// All that Markdown can become here. Anything else is only its children: no HTML, nothing that loads, nothing that leads away.
const TAGS = new Set(
  'p h1 h2 h3 h4 h5 h6 strong em del code pre blockquote ul ol li table thead tbody tr th td hr br div span'.split(' '),
);

/** Text of somebody else's, with its Markdown shown. No HTML is made of it, only elements of the list above. */
export function Markdown({ text }: { readonly text: string }): ReactElement {
  const content = useMemo(() => (text.length > LONGEST ? undefined : toElements(text)), [text]);
  if (content === undefined) return <LongText text={text} className="plain" />;
  return (
    <div className="markdown" dir="auto">
      {content}
    </div>
  );
}

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
  const shown = /^h[1-6]$/.test(tag) ? 'h4' : tag;
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
