import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { WireBlock } from '../../../protocol/index.ts';

/** What an episode gives to its program as files. */
export interface EpisodeFiles extends AsyncDisposable {
  /** Where the program runs: an empty folder. */
  readonly folder: string;
  readonly promptFile: string;
  /** The prompt as text, with the paths of its images. */
  readonly prompt: string;
  /** Writes a file, by its path in a folder beside that of the program. */
  write(path: string, text: string): Promise<string>;
}

/** Makes the folders of an episode, with its prompt; they go with it. */
export async function episodeFiles(blocks: readonly WireBlock[], closing: string): Promise<EpisodeFiles> {
  const base = await mkdtemp(join(tmpdir(), 'tiltyard-agent-'));
  const [folder, beside] = [join(base, 'work'), join(base, 'files')];
  await Promise.all([mkdir(folder), mkdir(beside)]);
  const parts = await Promise.all(
    blocks.map(async (block, at) => {
      if (block.type === 'text') return block.text;
      const path = join(beside, `image-${at}.${extensionOf(block.mimeType)}`);
      await writeFile(path, Buffer.from(block.data, 'base64'));
      return `[image: ${path}]`;
    }),
  );
  const prompt = [...parts, closing].join('\n\n');
  const promptFile = join(beside, 'prompt.md');
  await writeFile(promptFile, prompt);
  return {
    folder,
    promptFile,
    prompt,
    async write(path, text) {
      const target = join(base, path);
      await mkdir(dirname(target), { recursive: true });
      // A token may be in it.
      await writeFile(target, text, { mode: 0o600 });
      return target;
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function extensionOf(mimeType: string): string {
  return /^image\/([a-z]+)/i.exec(mimeType)?.[1]?.toLowerCase().replace('jpeg', 'jpg') ?? 'bin';
}
