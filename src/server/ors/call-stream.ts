import { encodeError, encodeResult, encodeSmallResult, encodeTaskId, PING } from '../../protocol/index.ts';
import type { CallEvent, CallRequest, SessionHost, SessionRef } from '../../sessions/index.ts';
import type { Disconnects } from '../http/disconnects.ts';
import { type ReturnErrors, toFailureAnswer } from '../http/errors.ts';
import { type CallExchange, respond } from '../http/exchange.ts';
import type { Beating, Heartbeat } from '../http/heartbeat.ts';
import { type PieceRooms, Pump } from '../http/pieces.ts';
import { hasLeft, isQueued } from '../http/request-tracker.ts';
import type { Transfers } from '../http/transfers.ts';
import { type HeaderList, isLarge, type WriteBatch, writeWhole } from '../http/write-batch.ts';
import { toCallAnswer } from './call-answer.ts';

/** What every stream of a server shares. */
export interface CallStreamOptions {
  readonly host: SessionHost;
  readonly batch: WriteBatch;
  readonly heartbeat: Heartbeat;
  readonly disconnects: Disconnects;
  readonly transfers: Transfers;
  readonly rooms: PieceRooms;
  readonly returnErrors: ReturnErrors;
}

/** The headers of every stream. */
export const STREAM_HEADERS: Readonly<HeaderList> = [
  'content-type',
  'text/event-stream; charset=utf-8',
  'cache-control',
  'no-cache',
  'x-accel-buffering',
  'no',
];

/** In the turn in which the call came; waiting for its end; with a stream that has begun; done. */
type StreamPhase = 'arriving' | 'waiting' | 'streaming' | 'answered';

/** Answers a call that takes longer, or whose answer is not a small result: as a stream, unless one write is enough. */
export class CallStream implements Beating {
  readonly #options: CallStreamOptions;
  readonly #exchange: CallExchange;
  readonly #ref: SessionRef;
  /** Whether this client takes refused calls inside the stream. */
  readonly #envelope: boolean;
  #phase: StreamPhase = 'arriving';
  /** The latest that was told of the call. */
  #heard: CallEvent | undefined;
  /** Set when a large result is under way. */
  #pump: Pump | undefined;
  #leave: (() => void) | undefined;
  #unwatch: (() => void) | undefined;
  #stopBeat: (() => void) | undefined;

  constructor(options: CallStreamOptions, exchange: CallExchange, ref: SessionRef, { keepRefusal }: CallRequest) {
    this.#options = options;
    this.#exchange = exchange;
    this.#ref = ref;
    this.#envelope = keepRefusal === true;
  }

  /** Answers the call, of which this has been told so far. */
  start(heard: CallEvent | undefined, leave: () => void): void {
    const { batch } = this.#options;
    this.#heard = heard;
    this.#leave = leave;
    // A tool that only waits for a promise or two has its answer by the end of the turn, and needs no stream.
    if (heard?.kind !== 'settled') return batch.defer(() => this.#begin());
    if (isLarge(heard.ending)) this.#finish();
    else batch.soon(() => this.#finish());
  }

  beat(): void {
    const { response } = this.#exchange;
    // A session whose result is being read is not idle.
    if (this.#pump !== undefined) void this.#options.host.touch(this.#ref);
    else if (!response.writableNeedDrain) response.write(PING);
  }

  /** Hears what else is told of the call. */
  on(event: CallEvent): void {
    this.#heard = event;
    // Not at once: what ends within this turn is answered in one write.
    if (event.kind === 'accepted') return this.#options.batch.defer(() => this.#announce());
    if (isLarge(event.ending)) this.#finish();
    else if (this.#phase !== 'arriving') this.#options.batch.defer(() => this.#finish());
  }

  /** Goes on after the turn in which the call came. */
  #begin(): void {
    if (this.#phase === 'answered') return;
    if (this.#heard?.kind === 'settled') return this.#finish();
    this.#phase = 'waiting';
    if (hasLeft(this.#exchange.response)) return this.#leave?.();
    this.#watch();
    if (this.#heard !== undefined) this.#announce();
  }

  /** Starts the stream, so that the client knows the id before the result is there. */
  #announce(): void {
    if (this.#phase !== 'waiting' || this.#heard?.kind !== 'accepted' || hasLeft(this.#exchange.response)) return;
    this.#phase = 'streaming';
    this.#open(this.#heard.taskId);
    this.#stopBeat = this.#options.heartbeat.add(this);
  }

  #finish(): void {
    const { response, caller } = this.#exchange;
    const heard = this.#heard;
    // From here on the text is held only by what sends it.
    this.#heard = undefined;
    this.#phase = 'answered';
    if (this.#unwatch !== undefined) this.#release();
    if (heard?.kind !== 'settled' || hasLeft(response)) return;
    const { taskId, ending } = heard;
    if (ending.kind === 'returned') return this.#sendResult(ending.json, taskId);
    const { returnErrors } = this.#options;
    const how = { envelope: this.#envelope, streaming: response.headersSent, returnErrors };
    const answer = toCallAnswer(ending, how);
    if (answer.kind === 'end') return this.#sendResult(answer.json, taskId);
    // It goes on when the server has started again: its client comes back for it, as after any other break.
    if (answer.kind === 'error' && ending.failure.code === 'shutting_down') return void response.req.socket.destroy();
    if (answer.kind === 'error')
      return this.#send(encodeError(answer.message, answer), answer.alone ? undefined : taskId);
    caller.tiltyardCode = answer.failure.code;
    respond(this.#exchange, toFailureAnswer(answer.failure, returnErrors));
  }

  #sendResult(json: string, taskId: string): void {
    const small = encodeSmallResult(json);
    if (small !== undefined) return this.#send(small, taskId);
    const { response } = this.#exchange;
    if (!response.headersSent) this.#open(taskId);
    const { rooms } = this.#options;
    const pump = new Pump(response, encodeResult(json, rooms.take), rooms.giveBack);
    pump.write();
    if (!response.writableEnded) this.#stayWith(pump, json.length);
  }

  /** Sends the last event; before it goes the id of the call, if it has one and the stream has not begun. */
  #send(event: string, taskId: string | undefined): void {
    const { response } = this.#exchange;
    if (isQueued(response)) this.#options.transfers.countQueued(response, this.#ref.identity, event.length);
    if (response.headersSent) return void response.end(event);
    writeWhole(this.#exchange, 200, STREAM_HEADERS, taskId === undefined ? event : encodeTaskId(taskId) + event);
  }

  /** Begins a stream whose length nobody knows yet. */
  #open(taskId: string): void {
    this.#exchange.open(200, STREAM_HEADERS);
    this.#exchange.response.write(encodeTaskId(taskId));
  }

  /** Keeps the session alive until a client that reads slowly has read it all, or has left; until then, its result counts. */
  #stayWith(pump: Pump, bytes: number): void {
    const { transfers, heartbeat } = this.#options;
    this.#pump = pump;
    pump.count(transfers.begin(this.#exchange.response, this.#ref.identity), bytes);
    this.#watch();
    this.#stopBeat = heartbeat.add(this);
    this.#exchange.response.once('finish', () => this.#release());
  }

  #watch(): void {
    this.#unwatch = this.#options.disconnects.watch(this.#exchange.response.req.socket, () => {
      this.#leave?.();
      this.#release();
    });
  }

  #release(): void {
    this.#unwatch?.();
    this.#stopBeat?.();
  }
}
