import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireImageBlock } from '../../../protocol/index.ts';
import { toSafeText } from '../safe-text.ts';
import { type InlineProtocol, inlineProtocolOf, toInline } from './inline.ts';

/** Where images go: into the terminal, or into files. */
export interface Gallery {
  /** Shows an image, and returns what to print for it; `label` names its file. */
  show(block: WireImageBlock, label: string): Promise<string>;
}

/** The gallery of this process; with a folder, images are saved there in any case. */
export function openGallery(folder: string | undefined): Gallery {
  const protocol = process.stdout.isTTY === true ? inlineProtocolOf(process.env) : undefined;
  return new FileGallery(folder, protocol);
}

class FileGallery implements Gallery {
  readonly #chosen: string | undefined;
  readonly #protocol: InlineProtocol | undefined;
  #folder: Promise<string> | undefined;
  #saved = 0;

  constructor(chosen: string | undefined, protocol: InlineProtocol | undefined) {
    this.#chosen = chosen;
    this.#protocol = protocol;
  }

  async show(block: WireImageBlock, label: string): Promise<string> {
    const inline = this.#protocol === undefined ? undefined : toInline(block, this.#protocol);
    if (inline !== undefined && this.#chosen === undefined) return inline;
    const path = await this.#save(block, label);
    const line = `[${toSafeText(String(block.mimeType))} saved as ${path}]`;
    return inline === undefined ? line : `${inline}\n${line}`;
  }

  async #save({ data, mimeType }: WireImageBlock, label: string): Promise<string> {
    this.#folder ??= this.#makeFolder();
    this.#saved += 1;
    const name = `${String(this.#saved).padStart(3, '0')}-${label}.${EXTENSIONS.get(mimeType) ?? 'bin'}`;
    const path = join(await this.#folder, name);
    await writeFile(path, Buffer.from(data, 'base64'));
    return path;
  }

  async #makeFolder(): Promise<string> {
    if (this.#chosen === undefined) return mkdtemp(join(tmpdir(), 'tiltyard-'));
    await mkdir(this.#chosen, { recursive: true });
    return this.#chosen;
  }
}

// By this list alone: a name of the server's choice is no name for a file.
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['image/svg+xml', 'svg'],
]);
