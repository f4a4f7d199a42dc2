import { type ReactElement, useEffect, useState } from 'react';
import type { WireBlock, WireImageBlock } from '../../src/protocol/index.ts';
import { formatBytes, plural } from '../data/format.ts';
import { LongText } from './long-text.tsx';
import { Markdown } from './markdown.tsx';

// A tool may answer with a thousand of them.
const FIRST = 40;

// Pictures that can hold nothing but pixels.
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Blocks of a prompt or of a tool's output. */
export function Blocks({
  blocks,
  as = 'text',
}: {
  readonly blocks: readonly WireBlock[];
  readonly as?: 'text' | 'markdown';
}): ReactElement {
  const [shown, show] = useState(FIRST);
  return (
    <div className="blocks">
      {blocks.slice(0, shown).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks never change their places.
        <Block key={at} block={block} as={as} />
      ))}
      {blocks.length > shown && (
        <button type="button" className="quiet" onClick={() => show(shown + FIRST * 10)}>
          {plural(blocks.length - shown, 'more block')}
        </button>
      )}
    </div>
  );
}

function Block({ block, as }: { readonly block: WireBlock; readonly as: 'text' | 'markdown' }): ReactElement {
  if (block.type === 'image') return <Picture block={block} />;
  return as === 'markdown' ? <Markdown text={block.text} /> : <LongText text={block.text} className="plain" />;
}

function Picture({ block: { data, mimeType } }: { readonly block: WireImageBlock }): ReactElement {
  const [url, setUrl] = useState<string | undefined>();
  const [size, setSize] = useState<string | undefined>();
  const bytes = Math.floor((data.length * 3) / 4);
  useEffect(() => {
    const blob = toPicture(data, mimeType);
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data, mimeType]);
  const caption = [size, mimeType, formatBytes(bytes)].filter(Boolean).join(' · ');
  return (
    <figure>
      {url !== undefined && size !== 'broken' && (
        <img
          src={url}
          alt={`From the environment: ${caption}`}
          onLoad={({ currentTarget }) => setSize(`${currentTarget.naturalWidth} × ${currentTarget.naturalHeight}`)}
          onError={() => setSize('broken')}
        />
      )}
      <figcaption>
        {PICTURES.has(mimeType) ? caption : `${caption} · not shown: not a PNG, JPEG, GIF or WebP image`}
      </figcaption>
    </figure>
  );
}

function toPicture(data: string, mimeType: string): Blob | undefined {
  if (!PICTURES.has(mimeType)) return undefined;
  try {
    return new Blob([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))], { type: mimeType });
  } catch {
    return undefined;
  }
}
