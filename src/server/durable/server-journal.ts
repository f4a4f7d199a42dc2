import type { FastifyInstance } from 'fastify';
import { type EpisodeRecord, JournalKeeper } from '../../durable/index.ts';
import { type LmdbJournal, openJournal, parseJournalKeys } from '../../journal/index.ts';
import type { SessionHost } from '../../sessions/index.ts';
import type { MakeKeeper } from '../ors/service.ts';
import type { JournalOption } from './option.ts';

/** What of a server outlives a process of its own. */
export interface ServerDurability {
  /** The same for as long as its journal; undefined where there is none. */
  readonly instance: string | undefined;
  readonly keeper: MakeKeeper;
  /** Takes over what an earlier server has left. */
  recover(host: SessionHost): Promise<void>;
}

/** Opens the journal of a server, if it has one; without, episodes outlive only the processes of workers. */
export async function serverDurability(
  app: FastifyInstance,
  option: JournalOption | undefined,
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
  return {
    instance: journal?.id,
    keeper: (runtime, options) =>
      new JournalKeeper(runtime, options, { journal, lastAlive: journal?.lastAlive, onFenced }),
    async recover(host) {
      if (journal !== undefined) await recover(app, host, journal);
    },
  };
}

async function recover(app: FastifyInstance, host: SessionHost, { size }: LmdbJournal<EpisodeRecord>): Promise<void> {
  if (size === 0) return;
  const startedAt = performance.now();
  app.log.info({ sessions: size }, 'recovering sessions');
  const recovered = await host.recover?.((done, all) => app.log.info({ done, all }, 'recovering sessions'));
  const ms = Math.round(performance.now() - startedAt);
  app.log.info({ ...recovered, ms }, 'sessions recovered');
}

function open(
  { folder, keys = [], sync = false }: JournalOption,
  onFenced: () => void,
): Promise<LmdbJournal<EpisodeRecord>> {
  return openJournal(folder, { keys: keys.flatMap(parseJournalKeys), sync: sync ? 'always' : 'lazy', onFenced });
}
