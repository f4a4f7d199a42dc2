import { expect, onTestFinished } from 'vitest';
import type { Awaitable } from '../../src/core/index.ts';
import type { CallRequest, CreateRequest, SessionHost, SessionOptions, SessionRef } from '../../src/sessions/index.ts';
import { eventually } from '../support/clock.ts';
import { type HeardCall, hear, refOf } from '../support/host.ts';
import { Stage } from './stage.ts';

/** Makes a host of the environments in environments.ts, at the defaults but for these options. */
export type MakeHost = (options: Partial<SessionOptions>) => Awaitable<SessionHost>;

/** A session whose code the test can watch. */
export interface StagedSession {
  readonly host: SessionHost;
  readonly stage: Stage;
  call(request: CallRequest): HeardCall;
}

/** Makes what a test needs of a host. */
export interface HostTests {
  /** A host that is drained when its test ends. */
  start(options?: Partial<SessionOptions>): Promise<SessionHost>;
  /** A host with a session `s`. */
  startSession(task?: object, options?: Partial<SessionOptions>): Promise<StagedSession>;
}

/** What the tests of a host begin with. */
export function hostTests(makeHost: MakeHost): HostTests {
  const start = async (options: Partial<SessionOptions> = {}) => {
    const host = await makeHost({ graceMs: 50, drainMs: 0, ...options });
    onTestFinished(() => host.drain());
    return host;
  };
  return {
    start,
    async startSession(task = {}, options = {}) {
      const [host, stage] = [await start(options), new Stage()];
      await host.create(REF, taskOf({ stage: stage.folder, ...task }));
      return { host, stage, call: (request) => hear(host, REF, request) };
    },
  };
}

/** The session of most tests. */
export const REF: SessionRef = refOf('s');

/** A call that is answered at once. */
export const LOOK: CallRequest = { name: 'look', input: {} };

// Longer than what is too short to be hidden.
const SECRET = 'hunter2-hunter2';

/** A text in which the secret of `taskOf` does not stand. */
export const WITHOUT_SECRET: string = expect.not.stringContaining(SECRET);

/** An episode of a task that the client sends, with a secret `KEY`. */
export function taskOf(task: object): CreateRequest {
  return { choice: { task: { ...task } }, secrets: { KEY: SECRET } };
}

/** Waits until a client was told that its call will run. */
export async function accepted(heard: HeardCall): Promise<HeardCall> {
  await eventually(() => expect(heard.phase).toBe('accepted'));
  return heard;
}

/** Waits until a client was told how its call ended. */
export async function settled(heard: HeardCall): Promise<HeardCall> {
  // Most are there at once.
  if (heard.phase !== 'settled') await eventually(() => expect(heard.phase).toBe('settled'));
  return heard;
}

/** Checks that a call was accepted at the most once, and then settled once, under one id. */
export function expectInOrder({ events }: HeardCall): void {
  expect(['settled', 'accepted,settled']).toContain(events.map(({ kind }) => kind).join());
  expect(new Set(events.map(({ taskId }) => taskId)).size).toBe(1);
}

/** Lets what is under way between processes arrive. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

/** Lets a little time pass. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
