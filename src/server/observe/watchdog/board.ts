import type { Subject } from '../../../sessions/index.ts';

/** Which code of an author it is. */
export type Part = Subject['part'];

/** Code of an author that runs. What it does not have is ''. */
export interface RunningCode {
  readonly part: Part;
  readonly environment: string;
  readonly tool: string;
  readonly sid: string;
  /** ORS's `task_id`, OXP's `call_id`. */
  readonly call: string;
}

/** What is known of the code that blocks or has blocked. */
export interface Culprit {
  /** Undefined where nothing is known of it. */
  readonly code: RunningCode | undefined;
  /** Whether that is certain: of code that goes on after an `await`, only what waited is known. */
  readonly isCertain: boolean;
}

const PARTS: readonly Part[] = ['input', 'tool', 'setup', 'prompt', 'teardown', 'tasks'];
const FIELDS = ['environment', 'tool', 'sid', 'call'] as const;

// Longer names and ids are cut. A byte says how much of it is used.
const FIELD_BYTES = 200;
const FIELD_SIZE = 1 + FIELD_BYTES;
const PLACE_SIZE = 1 + FIELDS.length * FIELD_SIZE;

/** The place of the code that has the thread now. */
export const CURRENT = 0;
// Where the watching thread writes whom it has told of.
const TOLD = 1;
const FIRST_WAITING = 2;
const MOST_WAITING = 16;

/** The places for code that waits for something, and will go on; beyond that, code is not told of. */
export const WAITING: readonly number[] = Array.from({ length: MOST_WAITING }, (_, index) => FIRST_WAITING + index);

// Numbers at its beginning: signs of life, whether a debugger is attached, and what has been told of.
const [BEATS, DEBUGGED, TELLING] = [0, 1, 2];
const NUMBERS = 3;
const HEADER_BYTES = NUMBERS * 4;
const [NOTHING, LIKELY, CERTAIN] = [0, 1, 2];
const BYTES = HEADER_BYTES + (FIRST_WAITING + MOST_WAITING) * PLACE_SIZE;

/**
 * What runs, in memory that two threads share: a blocked thread cannot be asked. It is read only while the thread that writes is
 * blocked, so nothing is locked.
 */
export class Board {
  readonly memory: SharedArrayBuffer;
  readonly #numbers: Int32Array;
  readonly #bytes: Buffer;
  /** What was written last: names are the same for most calls. */
  readonly #written: (string | undefined)[] = [];

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#numbers = new Int32Array(memory, 0, NUMBERS);
    this.#bytes = Buffer.from(memory, HEADER_BYTES);
  }

  /** A sign of life of the thread that is watched; a debugger may stop it at any time from now on. */
  beat(isDebugged: boolean): void {
    this.#numbers[DEBUGGED] = Number(isDebugged);
    Atomics.add(this.#numbers, BEATS, 1);
  }

  get beats(): number {
    return Atomics.load(this.#numbers, BEATS);
  }

  get isDebugged(): boolean {
    return this.#numbers[DEBUGGED] === 1;
  }

  /** Says that a block was told of, and who causes it. */
  tell({ code, isCertain }: Culprit): void {
    if (code === undefined) this.clear(TOLD);
    else this.write(TOLD, code);
    Atomics.store(this.#numbers, TELLING, isCertain ? CERTAIN : LIKELY);
  }

  /** The block that was told of since the last time. */
  takeTold(): Culprit | undefined {
    const telling = Atomics.exchange(this.#numbers, TELLING, NOTHING);
    return telling === NOTHING ? undefined : { code: this.read(TOLD), isCertain: telling === CERTAIN };
  }

  write(place: number, { part, environment, tool, sid, call }: RunningCode): void {
    this.#writeField(place, 0, environment);
    this.#writeField(place, 1, tool);
    this.#writeField(place, 2, sid);
    this.#writeField(place, 3, call);
    this.#bytes[place * PLACE_SIZE] = PARTS.indexOf(part) + 1;
  }

  copy(from: number, to: number): void {
    this.#bytes.copyWithin(to * PLACE_SIZE, from * PLACE_SIZE, (from + 1) * PLACE_SIZE);
  }

  clear(place: number): void {
    this.#bytes[place * PLACE_SIZE] = 0;
  }

  read(place: number): RunningCode | undefined {
    const part = PARTS[(this.#bytes[place * PLACE_SIZE] ?? 0) - 1];
    if (part === undefined) return undefined;
    const [environment = '', tool = '', sid = '', call = ''] = FIELDS.map((_, field) => this.#readField(place, field));
    return { part, environment, tool, sid, call };
  }

  /** The code that waits for something. */
  get waiting(): RunningCode[] {
    return WAITING.map((place) => this.read(place)).filter((code) => code !== undefined);
  }

  #writeField(place: number, field: number, text: string): void {
    const key = place * FIELDS.length + field;
    if (this.#written[key] === text) return;
    this.#written[key] = text;
    const start = placeOf(place, field);
    this.#bytes[start] = this.#bytes.write(text, start + 1, FIELD_BYTES);
  }

  #readField(place: number, field: number): string {
    const start = placeOf(place, field) + 1;
    return this.#bytes.toString('utf8', start, start + (this.#bytes[start - 1] ?? 0));
  }
}

function placeOf(place: number, field: number): number {
  return place * PLACE_SIZE + 1 + field * FIELD_SIZE;
}
