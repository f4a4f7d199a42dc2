import { onTestFinished } from 'vitest';
import { catalog, type Environment } from '../../src/core/index.ts';
import { type EpisodeRecord, JournalKeeper } from '../../src/durable/index.ts';
import { type LmdbJournal, openJournal } from '../../src/journal/index.ts';
import {
  type CallEnding,
  type CreateRequest,
  DEFAULT_SESSION_OPTIONS,
  type HostEvent,
  LocalHost,
  LocalRuntime,
  lossOfProcess,
  type SessionOptions,
  type SessionRef,
} from '../../src/sessions/index.ts';
import { CrashableRuntime } from '../../src/testing/crashable-runtime.ts';
import { SESSION } from '../support/host.ts';

/** A host whose episodes are kept. */
export interface KeepingHost {
  readonly host: LocalHost;
  readonly events: readonly HostEvent[];
  /** Undefined where everything is kept in memory. */
  readonly journal: LmdbJournal<EpisodeRecord> | undefined;
  /** The process that runs the episodes ends; `charge` says how much their calls are to blame. */
  crash(charge?: number): void;
  create(request?: Partial<CreateRequest>, ref?: SessionRef): Promise<void>;
  /** Calls a tool, and waits for its end. */
  call(name: string, input?: object, taskId?: string, ref?: SessionRef): Promise<CallEnding>;
  /** The server ends, without a word to anybody. */
  die(): Promise<void>;
}

/** How a host keeps. */
export interface KeepingOptions {
  /** Where its journal is; left out: in memory. */
  readonly folder?: string;
  readonly keys?: readonly Buffer[];
  readonly options?: Partial<SessionOptions>;
}

/** Makes a host of environments; what an earlier one left in the folder is taken over. */
export async function keepingHost(
  environments: readonly Environment[],
  { folder, keys = [], options: changes = {} }: KeepingOptions = {},
): Promise<KeepingHost> {
  const events: HostEvent[] = [];
  const observer = { on: (event: HostEvent) => void events.push(event) };
  const options = { ...DEFAULT_SESSION_OPTIONS, drainMs: 0, graceMs: 20, ...changes, observer };
  const runtime = new CrashableRuntime(new LocalRuntime(catalog(environments), options));
  const journal = folder === undefined ? undefined : await openJournal<EpisodeRecord>(folder, { keys });
  const servedSince = journal && ((at: number) => journal.servedSince(at));
  const keeper = new JournalKeeper(runtime, options, { journal, servedSince });
  const host = new LocalHost(runtime, options, keeper);
  await host.recover();
  onTestFinished(async () => {
    await host.drain();
    await journal?.close();
  });
  return {
    host,
    events,
    journal,
    crash: (charge = 0) => runtime.crash(lossOfProcess('it was ended by SIGKILL', charge)),
    create: (request, ref = SESSION) => host.create(ref, { choice: { task: {} }, secrets: {}, ...request }),
    call: (name, input = {}, taskId = undefined, ref = SESSION) =>
      new Promise((resolve) => {
        const request = { name, input, taskId };
        host.call(ref, request, (event) => void (event.kind === 'settled' && resolve(event.ending)));
      }),
    async die() {
      // What was not written by now is lost: the journal takes no more.
      await journal?.close();
    },
  };
}

/** The text of what a tool returned; of a failure, its code. */
export function toldOf(ending: CallEnding): string {
  if (ending.kind !== 'returned') return ending.failure.code;
  const { output } = JSON.parse(ending.json);
  return output.blocks[0].text;
}

/** The bytes of what a tool returned. */
export function jsonOf(ending: CallEnding | undefined): string {
  if (ending?.kind !== 'returned') throw new Error('it did not return');
  return ending.json;
}
