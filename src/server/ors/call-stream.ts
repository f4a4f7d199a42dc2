import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { encodeError, encodeResult, encodeSmallResult, encodeTaskId, PING } from '../../protocol/index.ts';
import type { Call } from '../../sessions/index.ts';
import type { Callers } from '../http/disconnects.ts';
import type { ReturnErrors } from '../http/errors.ts';
import type { Beating, Heartbeat } from '../http/heartbeat.ts';
import type { Turn } from '../http/write-batch.ts';
import { type CallAnswer, toCallAnswer } from './call-answer.ts';
import type { CallExchange } from './call-exchange.ts';

/** What every stream of a server shares. */
export interface CallStreamOptions {
  readonly turn: Turn;
  readonly heartbeat: Heartbeat;
  /** Tell when a client has left. */
  readonly callers: Callers;
  readonly returnErrors: ReturnErrors;
  /** How long a call may wait for setup before the client hears that it is there. */
  readonly announceAfterMs: number;
  /** Called when a refusal was told by status, so that the call need not be kept. */
  readonly forget: (key: string, call: Call) => void;
  /** Called for as long as a result is being read, so that its session is not taken for idle. */
  readonly touch: (key: string) => void;
}

/** One client's view of a call. */
export interface CallView {
  readonly call: Call;
  readonly exchange: CallExchange;
  /** Whether this client takes refused calls inside the stream. */
  readonly envelope: boolean;
}

/** Answers a call: in one write if it ends within this turn, as a stream if it takes longer. */
export class CallStream implements Beating {
  readonly #view: CallView;
  readonly #options: CallStreamOptions;
  #streaming = false;
  /** Whether the result is under way. */
  #pumping = false;
  #unsubscribe: (() => void) | undefined;
  #unwatch: (() => void) | undefined;
  #announceTimer: NodeJS.Timeout | undefined;

  constructor(view: CallView, options: CallStreamOptions) {
    this.#view = view;
    this.#options = options;
    if (view.call.phase === 'settled') options.turn.soon(() => this.#finish());
    // A tool that only waits for a promise or two has its answer by the end of the turn, and needs no stream.
    else options.turn.defer(() => this.#begin());
  }

  beat(): void {
    const { response, key } = this.#view.exchange;
    if (this.#pumping) this.#options.touch(key);
    else if (!response.writableNeedDrain) response.write(PING);
  }

  #begin(): void {
    const { call } = this.#view;
    if (call.phase === 'settled') return this.#finish();
    if (this.#hasLeft) return;
    this.#unsubscribe = call.onChange(() => this.#advance());
    this.#watch();
    if (call.phase === 'accepted') this.#announce();
    else this.#announceTimer = setTimeout(() => this.#announce(), this.#options.announceAfterMs);
  }

  #advance(): void {
    if (this.#view.call.phase === 'settled') this.#options.turn.defer(() => this.#finish());
    else this.#announce();
  }

  /** Starts the stream, so that the client knows the id before the result is there. */
  #announce(): void {
    if (this.#streaming) return;
    this.#streaming = true;
    clearTimeout(this.#announceTimer);
    this.#open();
    this.#view.exchange.response.write(encodeTaskId(this.#view.call.id));
    this.#options.heartbeat.add(this);
  }

  #finish(): void {
    const { call, envelope } = this.#view;
    if (this.#unsubscribe !== undefined) this.#release();
    if (call.ending === undefined || this.#hasLeft) return;
    const { returnErrors } = this.#options;
    const answer = toCallAnswer(call.ending, { envelope, streaming: this.#streaming, returnErrors });
    if (answer.kind === 'status') this.#refuse(answer);
    else if (answer.kind === 'error') this.#send(encodeError(answer.message, answer.outcome), answer.alone);
    else this.#sendResult(answer.json);
  }

  #refuse({ error }: Extract<CallAnswer, { kind: 'status' }>): void {
    const { call, exchange } = this.#view;
    if (!call.announced) this.#options.forget(exchange.key, call);
    exchange.fail(error);
  }

  #sendResult(json: string): void {
    const small = encodeSmallResult(json);
    if (small !== undefined) return this.#send(small);
    if (!this.#streaming) {
      this.#open();
      this.#view.exchange.response.write(encodeTaskId(this.#view.call.id));
    }
    this.#pump(encodeResult(json));
    if (!this.#view.exchange.response.writableEnded) this.#stayWith();
  }

  /** Keeps the session alive until a client that reads slowly has read it all, or has left. */
  #stayWith(): void {
    this.#pumping = true;
    this.#watch();
    this.#options.heartbeat.add(this);
    this.#view.exchange.response.once('finish', () => this.#release());
  }

  #watch(): void {
    this.#unwatch = this.#options.callers.watch(this.#socket, () => this.#release());
  }

  get #hasLeft(): boolean {
    return this.#socket.destroyed;
  }

  // Not the response: one that waits behind another on its connection does not hear of the end.
  get #socket(): Socket {
    return this.#view.exchange.response.req.socket;
  }

  #send(event: string, alone = false): void {
    const { response } = this.#view.exchange;
    if (this.#streaming) {
      response.end(event);
      return;
    }
    const body = alone ? event : encodeTaskId(this.#view.call.id) + event;
    this.#open(Buffer.byteLength(body));
    // Not `end(body)`, which gives the system two pieces, one of them empty; a single one is a tenth of the server quicker.
    response.write(body);
    process.nextTick(end, response);
  }

  #open(length?: number): void {
    const { call, exchange } = this.#view;
    call.announced = true;
    const others = exchange.takeOver();
    exchange.response.writeHead(200, streamHeaders(length, others));
  }

  /** Writes as fast as the client reads. The last piece goes out with the end: a write of its own would wake the client twice. */
  #pump(pieces: Iterator<Uint8Array, void>, first = pieces.next()): void {
    const { response } = this.#view.exchange;
    let piece = first;
    for (let next = pieces.next(); !next.done; next = pieces.next()) {
      if (!response.write(piece.value)) {
        response.once('drain', () => this.#pump(pieces, next));
        return;
      }
      piece = next;
    }
    response.end(piece.value);
  }

  #release(): void {
    clearTimeout(this.#announceTimer);
    this.#unsubscribe?.();
    this.#unwatch?.();
    this.#options.heartbeat.remove(this);
  }
}

function end(response: ServerResponse): void {
  response.end();
}

/** The headers of a stream, and those that others have set. Literals: to spread one object takes longer than to write all. */
function streamHeaders(length: number | undefined, others: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const type = 'text/event-stream; charset=utf-8';
  const headers: OutgoingHttpHeaders =
    length === undefined
      ? { 'content-type': type, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }
      : { 'content-type': type, 'cache-control': 'no-cache', 'x-accel-buffering': 'no', 'content-length': length };
  for (const name in others) headers[name] ??= others[name];
  return headers;
}
