import type { Answer, ClientEvent, LogEvent, ServerEvent } from './events.ts';

/** Everything that happened, on both sides; what the server did and logged in its order. */
export interface Chronicle {
  readonly server: readonly ServerEvent[];
  readonly client: readonly ClientEvent[];
  readonly log: readonly LogEvent[];
  /** The lives of the server that were cut short, and when. */
  readonly killed: ReadonlyMap<number, number>;
  /** The same for processes that ran the author's code, by their ids. */
  readonly killedPids?: ReadonlyMap<number, number>;
  /** When servers were told to stop. */
  readonly stops?: readonly number[];
}

/** What is known of one episode. */
export interface EpisodeRecord {
  readonly episode: string;
  readonly server: ServerEvent[];
  readonly client: ClientEvent[];
  readonly log: LogEvent[];
  readonly killed: ReadonlyMap<number, number>;
  readonly killedPids: ReadonlyMap<number, number>;
  readonly stops: readonly number[];
}

/** Something that must hold in every episode: says where it does not. */
export type Rule = (record: EpisodeRecord) => Iterable<string>;

/** Puts together what belongs to one episode. */
export function toRecords({ server, client, log, ...chronicle }: Chronicle): EpisodeRecord[] {
  const { killed, killedPids = new Map(), stops = [] } = chronicle;
  const records = new Map<string, EpisodeRecord>();
  const recordOf = (episode: string) => {
    const record: EpisodeRecord = records.get(episode) ?? {
      episode,
      server: [],
      client: [],
      log: [],
      killed,
      killedPids,
      stops,
    };
    records.set(episode, record);
    return record;
  };
  for (const event of server) recordOf(event.episode).server.push(event);
  for (const event of client) recordOf(event.episode).client.push(event);
  for (const event of log) recordOf(event.episode).log.push(event);
  return [...records.values()];
}

/** What its clients were told about each call, with the time. */
export function answersOf({ client }: EpisodeRecord): { token: string; answer: Answer; at: number }[] {
  return client.flatMap((event) => (event.what === 'answered' ? [event] : []));
}

/** How often a call ran. */
export function runsOf({ server }: EpisodeRecord, token: string): number {
  return server.filter((event) => event.what === 'run' && event.token === token).length;
}
