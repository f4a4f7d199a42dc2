import type { OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { encodeError, encodeResult, encodeSmallResult, encodeTaskId, PING } from '../../protocol/index.ts';
import { type CallEvent, type CallRequest, isLarge, type SessionHost, type SessionRef } from '../../sessions/index.ts';
import type { Disconnects } from '../http/disconnects.ts';
import { type ReturnErrors, toFailureAnswer } from '../http/errors.ts';
import { type CallExchange, respond, withOthers, writeLast } from '../http/exchange.ts';
import type { Beating, Heartbeat } from '../http/heartbeat.ts';
import { Pump } from '../http/pieces.ts';
import { isQueued } from '../http/request-tracker.ts';
import type { Transfers } from '../http/transfers.ts';
import type { WriteBatch } from '../http/write-batch.ts';
import { toCallAnswer } from './call-answer.ts';

/** What every stream of a server shares. */
export interface CallStreamOptions {
  readonly host: SessionHost;
  readonly batch: WriteBatch;
  readonly heartbeat: Heartbeat;
  readonly disconnects: Disconnects;
  readonly transfers: Transfers;
  readonly returnErrors: ReturnErrors;
}

/** Answers a call: in one write if it ends within this turn, as a stream if it takes longer. */
export class CallStream implements Beating {
  readonly #exchange: CallExchange;
  readonly #ref: SessionRef;
  readonly #options: CallStreamOptions;
  /** Whether this client takes refused calls inside the stream. */
  #envelope = false;
  #isAccepted = false;
  /** Whether the turn in which the call came is over. */
  #hasBegun = false;
  #streaming = false;
  #isAnswered = false;
  /** Set when a large result is under way. */
  #pump: Pump | undefined;
  #taskId = '';
  #settled: Extract<CallEvent, { kind: 'settled' }> | undefined;
  #leave: (() => void) | undefined;
  #unwatch: (() => void) | undefined;

  constructor(exchange: CallExchange, ref: SessionRef, options: CallStreamOptions) {
    this.#exchange = exchange;
    this.#ref = ref;
    this.#options = options;
  }

  /** Makes the call, and answers it. */
  start(request: CallRequest): void {
    const { host, batch } = this.#options;
    this.#envelope = request.keepRefusal === true;
    const leave = host.call(this.#ref, request, (event) => this.#on(event));
    if (this.#isAnswered) return;
    if (this.#settled !== undefined) return batch.soon(() => this.#finish());
    this.#leave = leave;
    // A tool that only waits for a promise or two has its answer by the end of the turn, and needs no stream.
    batch.defer(() => this.#begin());
  }

  beat(): void {
    const { response } = this.#exchange;
    // A session whose result is being read is not idle.
    if (this.#pump !== undefined) void this.#options.host.touch(this.#ref);
    else if (!response.writableNeedDrain) response.write(PING);
  }

  #on(event: CallEvent): void {
    this.#taskId = event.taskId;
    if (event.kind === 'accepted') {
      this.#isAccepted = true;
      if (this.#hasBegun) this.#announce();
      return;
    }
    this.#settled = event;
    // What waits for the end of the turn is not counted.
    if (isLarge(event.ending)) this.#finish();
    else if (this.#hasBegun) this.#options.batch.defer(() => this.#finish());
  }

  #begin(): void {
    this.#hasBegun = true;
    if (this.#isAnswered) return;
    if (this.#settled !== undefined) return this.#finish();
    if (this.#hasLeft) return this.#leave?.();
    this.#watch();
    if (this.#isAccepted) this.#announce();
  }

  /** Starts the stream, so that the client knows the id before the result is there. */
  #announce(): void {
    if (this.#streaming || this.#isAnswered || this.#settled !== undefined || this.#hasLeft) return;
    this.#streaming = true;
    this.#open();
    this.#exchange.response.write(encodeTaskId(this.#taskId));
    this.#options.heartbeat.add(this);
  }

  #finish(): void {
    this.#isAnswered = true;
    if (this.#unwatch !== undefined) this.#release();
    const { ending } = this.#settled ?? {};
    // From here on the text is held only by what sends it.
    this.#settled = undefined;
    if (ending === undefined || this.#hasLeft) return;
    if (ending.kind === 'returned') return this.#sendResult(ending.json);
    const { returnErrors } = this.#options;
    const how = { envelope: this.#envelope, streaming: this.#streaming, returnErrors };
    const answer = toCallAnswer(ending, how);
    if (answer.kind === 'end') return this.#sendResult(answer.json);
    // It goes on when the server has started again: its client comes back for it, as after any other break.
    if (answer.kind === 'error' && ending.failure.code === 'shutting_down') return void this.#socket.destroy();
    if (answer.kind === 'error') return this.#send(encodeError(answer.message, answer.outcome), answer.alone);
    this.#exchange.caller.tiltyardCode = answer.failure.code;
    respond(this.#exchange, toFailureAnswer(answer.failure, returnErrors));
  }

  #sendResult(json: string): void {
    const small = encodeSmallResult(json);
    if (small !== undefined) return this.#send(small);
    const { response } = this.#exchange;
    if (!this.#streaming) {
      this.#open();
      response.write(encodeTaskId(this.#taskId));
    }
    const pump = new Pump(response, encodeResult(json));
    pump.write();
    if (!response.writableEnded) this.#stayWith(pump, json.length);
  }

  /** Keeps the session alive until a client that reads slowly has read it all, or has left; until then, its result counts. */
  #stayWith(pump: Pump, bytes: number): void {
    const { transfers, heartbeat } = this.#options;
    this.#pump = pump;
    pump.count(transfers.begin(this.#exchange.response, this.#ref.identity), bytes);
    this.#watch();
    heartbeat.add(this);
    this.#exchange.response.once('finish', () => this.#release());
  }

  #watch(): void {
    this.#unwatch = this.#options.disconnects.watch(this.#socket, () => {
      this.#leave?.();
      this.#release();
    });
  }

  get #hasLeft(): boolean {
    return this.#socket.destroyed;
  }

  // Not the response: one that waits behind another on its connection does not hear of the end.
  get #socket(): Socket {
    return this.#exchange.response.req.socket;
  }

  #send(event: string, alone = false): void {
    const { response } = this.#exchange;
    if (isQueued(response)) this.#options.transfers.countQueued(response, this.#ref.identity, event.length);
    if (this.#streaming) {
      response.end(event);
      return;
    }
    const body = alone ? event : encodeTaskId(this.#taskId) + event;
    this.#open(Buffer.byteLength(body));
    writeLast(response, body);
  }

  #open(length?: number): void {
    const headers = withOthers(streamHeaders(length), this.#exchange.takeOver());
    this.#exchange.response.writeHead(200, headers);
  }

  #release(): void {
    this.#unwatch?.();
    this.#options.heartbeat.remove(this);
  }
}

// Literals: to spread one object takes longer than to write all.
function streamHeaders(length: number | undefined): OutgoingHttpHeaders {
  const type = 'text/event-stream; charset=utf-8';
  return length === undefined
    ? { 'content-type': type, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }
    : { 'content-type': type, 'cache-control': 'no-cache', 'x-accel-buffering': 'no', 'content-length': length };
}
