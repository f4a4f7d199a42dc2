// Who has ended a process? What it ran last is not known for certain: a crash takes the reports of its turn along.

/** Something of an author's that a worker was told to do, and that has not ended. */
export interface Doing {
  /** The episode it belongs to; undefined if it belongs to none, such as a tool of a toolkit. */
  readonly episode: number | undefined;
  /** The number of the order. */
  readonly order: number;
  readonly sentAt: number;
  /** How far it is known to have come: nothing was heard of it, it waits for its turn, or it runs. */
  readonly phase: 'sent' | 'waiting' | 'running';
}

/** What is known of what a worker does. */
export interface Scene<Of extends Doing = Doing> {
  readonly doing: Iterable<Of>;
  /** What was told before this has had its first turn. */
  readonly answeredAt: number;
  /** Since when something blocked it; what was told later was not even read. */
  readonly silentSince: number | undefined;
  /** The order that blocks it, as the worker says; 0: none of those that it has not begun; undefined: it said nothing. */
  readonly blocking?: number | undefined;
}

/** What is known of a worker's end. */
export interface Evidence extends Scene {
  /** Who is known to have ended it. */
  readonly named: Pick<Doing, 'episode'> | undefined;
}

/** How much of a worker's end each episode is to blame for, by its number: 1 in all, unless others may have ended it. */
export function blame({ named, ...evidence }: Evidence): ReadonlyMap<number, number> {
  const suspects = named === undefined ? suspectsOf(evidence) : [named];
  const episodes = new Set(suspects.flatMap(({ episode }) => episode ?? []));
  const others = suspects.filter(({ episode }) => episode === undefined);
  const charge = 1 / (episodes.size + others.length);
  return new Map(Array.from(episodes, (episode) => [episode, charge]));
}

/** Of what a worker was told to do, all that may have ended it, or blocks it now. */
export function suspectsOf<Of extends Doing>({
  doing,
  answeredAt,
  silentSince = Number.POSITIVE_INFINITY,
  blocking,
}: Scene<Of>): Of[] {
  const all = [...doing];
  const certain = all.filter(({ order }) => order === blocking);
  if (certain.length > 0) return certain;
  const begun = all.filter(({ phase, sentAt }) => phase !== 'waiting' && sentAt <= silentSince);
  const isFresh = ({ phase, sentAt }: Of) => phase === 'sent' && sentAt > answeredAt;
  const [fresh, older] = [begun.filter(isFresh), begun.filter((each) => !isFresh(each))];
  if (blocking === 0 && older.length > 0) return older;
  return fresh.length > 0 ? fresh : begun;
}
