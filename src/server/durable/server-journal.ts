import type { FastifyInstance } from 'fastify';
import type { Limits } from '../../core/index.ts';
import { CallJournal, JournalKeeper, KeptTools, recordJson, type ServerRecord } from '../../durable/index.ts';
import { type LmdbJournal, openJournal, parseJournalKeys } from '../../journal/index.ts';
import type { Recovered, SessionHost } from '../../sessions/index.ts';
import type { MakeKeeper } from '../ors/service.ts';
import type { MakeCallKeeper } from '../oxp/service.ts';
import type { JournalOption, RecoveryListener } from './option.ts';

/** What of a server outlives a process of its own. */
export interface ServerDurability {
  /** The same for as long as its journal; undefined where there is none. */
  readonly instance: string | undefined;
  readonly keeper: MakeKeeper;
  /** Undefined where no calls of toolkits are kept. */
  readonly callKeeper: MakeCallKeeper | undefined;
  /** Takes over what an earlier server has left; `host` is undefined if there are no environments. */
  recover(host: SessionHost | undefined): Promise<void>;
}

/** Opens the journal of a server, if it has one; without, episodes outlive only the processes of workers. */
export async function serverDurability(
  app: FastifyInstance,
  option: JournalOption | undefined,
  limits: Limits,
): Promise<ServerDurability> {
  let isFenced = false;
  const onFenced = () => {
    if (isFenced) return;
    isFenced = true;
    app.log.fatal('another server has taken over the journal: this one stops');
    void app.close();
  };
  const journal = option && (await open(option, onFenced));
  // Before any other such hook is added, and so after all of them: sessions write until they have ended.
  if (journal !== undefined) app.addHook('onClose', () => journal.close());
  const servedSince = journal && ((at: number) => journal.servedSince(at));
  const calls = journal && new CallJournal(journal, { ...limits, servedSince, log: app.log, onFenced });
  if (calls !== undefined) app.addHook('onClose', () => calls.close());
  return {
    instance: journal?.id,
    keeper: (runtime, options) => new JournalKeeper(runtime, options, { journal, servedSince, onFenced, calls }),
    callKeeper: calls && ((runtime) => new KeptTools(runtime, calls, limits)),
    async recover(host) {
      if (journal === undefined || journal.size === 0) return;
      const take = (progress: OnProgress) => (host === undefined ? calls?.recover(progress) : host.recover?.(progress));
      await recover(app, journal.size, { take, listener: option?.recovery });
    },
  };
}

type OnProgress = (done: number, all: number) => void;

interface Recovering {
  /** Reads what there is; of a server without environments, nothing is told of it. */
  readonly take: (progress: OnProgress) => Promise<Recovered | void> | undefined;
  readonly listener: RecoveryListener | undefined;
}

async function recover(app: FastifyInstance, size: number, { take, listener }: Recovering): Promise<void> {
  const startedAt = performance.now();
  const progress = (done: number, all: number) => {
    app.log.info({ done, all }, 'reading the journal');
    listener?.progress(done, all);
  };
  progress(0, size);
  const recovered = (await take(progress)) ?? undefined;
  const ms = Math.round(performance.now() - startedAt);
  app.log.info({ ...recovered, ms }, 'journal read');
  listener?.ended(recovered, ms);
}

function open(
  { folder, keys = [], sync = false }: JournalOption,
  onFenced: () => void,
): Promise<LmdbJournal<ServerRecord>> {
  return openJournal(folder, {
    keys: keys.flatMap(parseJournalKeys),
    sync: sync ? 'always' : 'lazy',
    toJson: recordJson,
    onFenced,
  });
}
