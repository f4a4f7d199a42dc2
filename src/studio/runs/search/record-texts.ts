import { isObject } from '../../../protocol/index.ts';
import { type BlobRef, blobFoldersOf, readBlob } from '../../../records/index.ts';
import { readTexts } from './read-texts.ts';
import type { WantedText } from './wanted-text.ts';

// What is said in an episode; everything else in its events says what kind of event it is.
const SAID = ['task', 'tool', 'input', 'failure', 'metadata', 'text', 'data'];
// The same in the forms of protocols and providers, which have words of their own around it.
const FRAMED = ['blocks', 'body'];
const FRAMES: ReadonlySet<string> = new Set(['type', 'role', 'id', 'mimeType']);
const MOST_BLOBS = 10_000;

/** Looks for a text in records: in tasks, prompts, messages, calls, results and notes. */
export class RecordTexts {
  readonly #wanted: WantedText;
  /** Whether it is in a long text, by the name of its file: all repeats of a task have the same prompt. */
  readonly #blobs = new Map<string, boolean>();

  constructor(wanted: WantedText) {
    this.#wanted = wanted;
  }

  /** Whether a record has it. One that is missing or damaged has nothing. */
  areIn(path: string): boolean {
    for (const text of readTexts(path))
      if (this.#mayBeIn(text) && text.split('\n').some((line) => this.#isInLine(line, blobFoldersOf(path))))
        return true;
    return false;
  }

  #mayBeIn(json: string): boolean {
    return this.#wanted.mayBeIn(json) || json.includes('"as":"text"');
  }

  #isInLine(line: string, folders: readonly string[]): boolean {
    if (!this.#mayBeIn(line)) return false;
    const event = parse(line);
    if (!isObject(event)) return false;
    const isSaid = (text: string | BlobRef) =>
      typeof text === 'string' ? this.#wanted.isIn(text) : this.#isInBlob(text, folders);
    return (
      SAID.some((field) => textsOf(event[field], NONE).some(isSaid)) ||
      FRAMED.some((field) => textsOf(event[field], FRAMES).some(isSaid))
    );
  }

  #isInBlob(ref: BlobRef, folders: readonly string[]): boolean {
    const known = this.#blobs.get(ref.$blob);
    if (known !== undefined) return known;
    const isFound = this.#wanted.isIn(readText(ref, folders));
    if (this.#blobs.size >= MOST_BLOBS) this.#blobs.clear();
    this.#blobs.set(ref.$blob, isFound);
    return isFound;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** All texts in a value, without those under the keys to leave out. */
function textsOf(value: unknown, leftOut: ReadonlySet<string>): (string | BlobRef)[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((each) => textsOf(each, leftOut));
  if (!isObject(value)) return [];
  if (typeof value.$blob === 'string') return value.as === 'text' ? [value as unknown as BlobRef] : [];
  return Object.entries(value).flatMap(([key, each]) => (leftOut.has(key) ? [] : textsOf(each, leftOut)));
}

function readText(ref: BlobRef, folders: readonly string[]): string {
  try {
    return readBlob(ref, folders).toString();
  } catch {
    return ''; // It was not copied with the record, or is damaged: the episode's page says so.
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // The episode's page says that it is damaged.
  }
}
