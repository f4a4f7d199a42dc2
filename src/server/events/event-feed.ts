import type { ServerResponse } from 'node:http';
import { redactValue, type Secrets } from '../../core/index.ts';
import type { ServerEvent, WatchedCall, WatchedSession } from '../../protocol/index.ts';
import type {
  CallAsked,
  CallEnded,
  CallFacts,
  CallStarted,
  CallTold,
  ContentEvent,
  HostEvent,
  Observer,
  PromptTold,
  SessionFacts,
} from '../../sessions/index.ts';
import type { ReturnErrors } from '../http/errors.ts';
import { Heartbeat } from '../http/heartbeat.ts';
import { resultFields } from '../ors/result-fields.ts';
import { listenerToEnd } from './fair-share.ts';
import { encodeEvent, encodeJson, type Interest, Listener, type Topic } from './listener.ts';
import { SessionBoard } from './session-board.ts';

const PING_MS = 10_000;

/** How many may listen at a time: each costs memory, and a write for every event. */
export const MAX_LISTENERS = 32;

/** Tells everybody who listens what happens to sessions and calls. */
export class EventFeed implements Observer {
  readonly #board = new SessionBoard();
  readonly #listeners = new Set<Listener>();
  readonly #heartbeat = new Heartbeat(PING_MS);
  /** What must not be told, by the number of the session. */
  readonly #secrets = new Map<number, Secrets>();
  readonly #returnErrors: ReturnErrors;

  constructor(returnErrors: ReturnErrors) {
    this.#returnErrors = returnErrors;
  }

  /** Makes room for one more listener of an identity; false if it has its share already. */
  makeRoom(caller: string): boolean {
    if (this.#listeners.size < MAX_LISTENERS) return true;
    const leaving = listenerToEnd(this.#listeners, caller);
    leaving?.cutOff();
    return leaving !== undefined && this.#listeners.delete(leaving);
  }

  /** Adds a connection, whose headers are sent, until it closes. It hears first of all sessions that there are. */
  listen(response: ServerResponse, interest: Interest): void {
    const listener = new Listener(response, interest);
    this.#listeners.add(listener);
    const stopBeat = this.#heartbeat.add(listener);
    response.on('close', () => {
      this.#listeners.delete(listener);
      stopBeat();
    });
    const { identity, sid } = interest;
    const sessions = this.#board.of(identity).filter((session) => sid === undefined || session.sid === sid);
    listener.tell(encodeEvent({ type: 'sessions', at: Date.now(), sessions }));
  }

  /** Ends all connections: a stopping server would wait for them. */
  close(): void {
    for (const listener of this.#listeners) listener.end();
  }

  on(event: HostEvent): void {
    switch (event.type) {
      case 'session_started':
        return this.#tellSession(this.#board.start(event.session, event.at), event.at);
      case 'setup_ended':
        if (event.result === 'ready') this.#tellSession(this.#board.open(event.session, event.at), event.at);
        return;
      case 'session_ended':
        return this.#end(event.session, this.#board.end(event.session, event.at, event), event.at);
      case 'session_suspended':
        return this.#end(event.session, this.#board.end(event.session, event.at), event.at);
      case 'call_started':
        return this.#tellCall(event, this.#board.callStarted(event));
      case 'call_ended':
        return this.#tellCall(event, this.#board.callEnded(event));
    }
  }

  readonly onContent = (event: ContentEvent): void => {
    if (event.type === 'episode_opened') return this.#keepSecrets(event.session, event.secrets);
    // It was over before anybody could listen.
    if (event.type === 'episode_lost') return;
    const session = 'session' in event ? event.session : event.call.session;
    if (session === undefined) return;
    this.#tell(session, () => encodeJson(this.#toJson(event, session)), 'content');
  };

  #toJson(event: PromptTold | CallAsked | CallTold, { sid, number }: SessionFacts): string {
    const { at } = event;
    const secrets = this.#secrets.get(number);
    // Only what was said: a secret may look like any part of the event around it.
    const hide = (value: unknown) => (secrets === undefined ? value : redactValue(value, secrets));
    if (event.type === 'prompt_told') return JSON.stringify({ type: 'prompt', at, sid, blocks: hide(event.blocks) });
    const call = event.call.id;
    if (event.type === 'call_asked') {
      const { tool, input } = event;
      return JSON.stringify({ type: 'input', at, sid, call, tool: hide(tool), input: hide(input) });
    }
    const head = JSON.stringify({ type: 'output', at, sid, call }).slice(0, -1);
    const fields = resultFields(event.ending, event.durationMs, this.#returnErrors);
    if (secrets === undefined) return `${head},${fields}}`;
    const { blocks, metadata, failure, ...others } = JSON.parse(`{${fields}}`) as Record<string, unknown>;
    const said = { blocks: hide(blocks), metadata: hide(metadata), failure: hide(failure) };
    return `${head},${JSON.stringify({ ...others, ...said }).slice(1)}`;
  }

  #keepSecrets({ number }: SessionFacts, secrets: Secrets): void {
    if (Object.keys(secrets).length > 0) this.#secrets.set(number, secrets);
  }

  #end({ number }: SessionFacts, session: WatchedSession | undefined, at: number): void {
    this.#secrets.delete(number);
    this.#tellSession(session, at);
  }

  #tellSession(session: WatchedSession | undefined, at: number): void {
    if (session !== undefined) this.#tell(session, () => encodeEvent({ type: 'session', at, session }));
  }

  #tellCall(event: CallStarted | CallEnded, session: WatchedSession | undefined): void {
    const { at, call } = event;
    const topic = session ?? { identity: call.identity, sid: undefined };
    this.#tell(topic, () => encodeEvent(toCallEvent(at, session ?? null, toWatchedCall(event))));
  }

  /** Writes an event once for all who want it, and not at all if nobody does. */
  #tell(topic: Topic, encode: () => string, what: 'facts' | 'content' = 'facts'): void {
    let text: string | undefined;
    for (const listener of this.#listeners) {
      if ((what === 'content' && !listener.interest.content) || !listener.wants(topic)) continue;
      text ??= encode();
      listener.tell(text);
    }
  }
}

function toCallEvent(at: number, session: WatchedSession | null, call: WatchedCall): ServerEvent {
  return { type: 'call', at, session, call };
}

function toWatchedCall(event: CallStarted | CallEnded): WatchedCall {
  const { id, tool }: CallFacts = event.call;
  if (event.type === 'call_started') return { id, tool, ms: null, outcome: null, reward: null, finished: false };
  const { durationMs, outcome, reward, finished } = event;
  return { id, tool, ms: Math.round(durationMs * 1000) / 1000, outcome, reward, finished };
}
