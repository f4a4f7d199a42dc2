/** Thrown for what is not an answer in HTTP/1.1. */
export class MalformedResponse extends Error {
  override readonly name: string = 'MalformedResponse';
}

/** How the end of a body is told: by its length, by a last chunk, or by the end of the connection. */
export type Framing = 'length' | 'chunks' | 'close';

/** The head of an answer: status, headers, and how its body is framed. */
export class ResponseHead {
  readonly status: number;
  readonly statusText: string;
  /** Whether the server keeps the connection open for another request. */
  readonly isKept: boolean;
  readonly framing: Framing;
  /** How many bytes the body has, where the framing is its length. */
  readonly length: number;
  readonly #text: string;
  /** The same in lower case, to find names in. */
  readonly #folded: string;

  /** Takes the text up to the empty line, without it. */
  constructor(text: string) {
    const line = /^HTTP\/1\.([01]) (\d{3})(?: ([^\r\n]*))?/.exec(text);
    if (line === null) throw new MalformedResponse('the answer is not HTTP/1.1');
    const [, minor, status, statusText = ''] = line;
    this.#text = text;
    this.#folded = text.toLowerCase();
    this.status = Number(status);
    this.statusText = statusText;
    this.framing = this.#toFraming();
    this.length = this.framing === 'length' ? this.#toLength() : 0;
    const isOpen = minor === '1' && !(this.get('connection') ?? '').toLowerCase().includes('close');
    this.isKept = isOpen && this.framing !== 'close';
  }

  /** Whether it only announces the answer that follows it. */
  get isInterim(): boolean {
    return this.status < 200;
  }

  /** The value of a header, whatever the case of its name; several are joined as fetch joins them. */
  get(name: string): string | null {
    const line = `\r\n${name.toLowerCase()}:`;
    let value: string | null = null;
    for (let at = this.#folded.indexOf(line); at >= 0; at = this.#folded.indexOf(line, at + line.length)) {
      const start = at + line.length;
      const end = this.#text.indexOf('\r\n', start);
      const found = this.#text.slice(start, end < 0 ? undefined : end).trim();
      value = value === null ? found : `${value}, ${found}`;
    }
    return value;
  }

  #toFraming(): Framing {
    if (this.status < 200 || this.status === 204 || this.status === 304) return 'length';
    if (/\bchunked\s*$/i.test(this.get('transfer-encoding') ?? '')) return 'chunks';
    return this.get('content-length') === null ? 'close' : 'length';
  }

  #toLength(): number {
    if (this.status < 200 || this.status === 204 || this.status === 304) return 0;
    const length = this.get('content-length') ?? '';
    if (!/^\d{1,15}$/.test(length)) throw new MalformedResponse('the answer has a length that is not a number');
    return Number(length);
  }
}
