/** The four APIs that the fake model speaks. */
export const WIRES = ['openai-chat', 'openai-responses', 'anthropic', 'google'] as const;
export type FakeWire = (typeof WIRES)[number];

/** A call of a tool; `raw` is sent as its arguments as it is, where the API takes text. */
export interface FakeCall {
  readonly name: string;
  readonly input?: object;
  readonly raw?: string;
  /** Default: its place in the answer, which is the same in each. */
  readonly id?: string;
  /** The group of tools that it is in, where the API has groups. */
  readonly namespace?: string;
}

/** What the model answers. */
export interface FakeAnswer {
  readonly text?: string;
  readonly calls?: readonly FakeCall[];
  /** How it ends. Default: as the content says. */
  readonly ending?: 'length' | 'refusal';
  /** Tokens. Default: 10 in, 5 out. */
  readonly usage?: { readonly input: number; readonly output: number };
  /** Whether its server says nothing of tokens. Default: false. */
  readonly isUncounted?: boolean;
}

/** What its server does instead, or before. */
export type Fault =
  | { readonly fault: 'status'; readonly status: number; readonly retryAfter?: string; readonly message?: string }
  | { readonly fault: 'redirect'; readonly to: string }
  | { readonly fault: 'cut' }
  | { readonly fault: 'bad-json' }
  /** An answer that never ends. */
  | { readonly fault: 'endless' }
  | { readonly fault: 'overflow' }
  | { readonly fault: 'slow'; readonly ms: number; readonly answer: FakeAnswer };

/** A request as the script sees it. */
export interface FakeRequest {
  readonly wire: FakeWire;
  /** Among all requests, from 0. */
  readonly number: number;
  /** How many answers of the model the conversation has. */
  readonly turn: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: any;
  /** When it arrived, and when it was answered. */
  readonly at: number;
}

/** Decides what happens to a request. */
export type Script = (request: FakeRequest) => FakeAnswer | Fault | Promise<FakeAnswer | Fault>;
