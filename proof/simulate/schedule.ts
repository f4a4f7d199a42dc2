import type { Random } from '../random.ts';

/** How a client behaves: one that knows no ids until it is told, or one that chooses its own and is impatient. */
export type PlayerKind = 'official' | 'own';

/** What the environment of a client promises. */
export type Contract = 'replay' | 'snapshot' | 'none';

/** An episode of a client. */
export interface Play {
  readonly player: PlayerKind;
  readonly contract: Contract;
  readonly at: number;
  readonly calls: number;
  /** Whether its client pays beside some of them. */
  readonly isPaired: boolean;
  /** Whether its client never ends it. */
  readonly isLeft: boolean;
}

/** What goes wrong with a node, or with all of them, and for how long. */
export interface Fault {
  readonly kind: FaultKind;
  /** From 0; undefined: all. */
  readonly node: number | undefined;
  readonly at: number;
  readonly forMs: number;
}

/**
 * Crash and drain: how long the node is away. Cut: from both bus and journal. Late: what was sent meanwhile comes afterwards. Leaderless:
 * nobody can reach the journal.
 */
export type FaultKind = (typeof FAULT_KINDS)[number];

const FAULT_KINDS = [
  'crash',
  'pause',
  'drain',
  'cut',
  'cut-late',
  'bus',
  'bus-late',
  'journal',
  'journal-late',
  'noise',
  'leaderless',
] as const;
const OF_ALL: ReadonlySet<string> = new Set(['noise', 'leaderless']);

/** All that is decided before time begins; how long each message takes is decided by the seed. */
export interface Schedule {
  readonly nodes: number;
  readonly plays: readonly Play[];
  readonly faults: readonly Fault[];
}

const MOST_PLAYS = 4;
const MOST_CALLS = 5;
const MOST_FAULTS = 4;
const BEGIN_MS = 400;
const FAULTS_MS = 6_000;
const STORM_MS = 2_000;
const LONGEST_MS = 6_000;
const LONG_CUT_MS = 30_000;

/** Some schedule. */
export function anySchedule(chance: Random): Schedule {
  const nodes = chance.pick([2, 3, 3, 3, 4]);
  const moment = (within: number) => BEGIN_MS + chance.below(within);
  const plays = Array.from({ length: 1 + chance.below(MOST_PLAYS) }, () => ({
    player: chance.pick(['official', 'own'] as const),
    contract: chance.pick(['replay', 'replay', 'snapshot', 'snapshot', 'none'] as const),
    at: moment(FAULTS_MS - 2_000),
    calls: 1 + chance.below(MOST_CALLS),
    isPaired: chance.chance(0.3),
    isLeft: chance.chance(0.01),
  }));
  // What goes wrong together is the hardest.
  const storm = chance.chance(0.25) ? moment(FAULTS_MS - STORM_MS) : undefined;
  const faults = Array.from({ length: 1 + chance.below(MOST_FAULTS) }, () => {
    const kind = chance.pick(FAULT_KINDS);
    const node = OF_ALL.has(kind) ? undefined : chance.below(nodes);
    // Longer than clients wait for a cluster that cannot answer.
    const isLong = chance.chance(0.02) && kind !== 'pause';
    const at = storm === undefined ? moment(FAULTS_MS) : storm + chance.below(STORM_MS);
    return { kind, node, at, forMs: isLong ? LONG_CUT_MS : 50 + chance.below(LONGEST_MS) };
  });
  return { nodes, plays: plays.filter(isFirstAt), faults };
}

/** Whether no other play before it begins at the same moment, which names its session. */
function isFirstAt({ at }: Play, index: number, plays: readonly Play[]): boolean {
  return plays.findIndex((play) => play.at === at) === index;
}

/** A schedule as one line. */
export function toText({ nodes, plays, faults }: Schedule): string {
  return [
    `nodes:${nodes}`,
    ...plays.map(
      ({ player, contract, at, calls, isPaired, isLeft }) =>
        `${player}/${contract}@${at}x${calls}${isPaired ? '/paired' : ''}${isLeft ? '/left' : ''}`,
    ),
    ...faults.map(({ kind, node, at, forMs }) => `${kind}${node === undefined ? '' : `:${node}`}@${at}+${forMs}`),
  ].join(' ');
}

/** Reads what `toText` wrote; undefined if it is none. */
export function parseSchedule(text: string): Schedule | undefined {
  const [first = '', ...words] = text.trim().split(/\s+/);
  const nodes = Number(/^nodes:([1-9])$/.exec(first)?.[1]);
  const plays = words.flatMap((word) => toPlay(word) ?? []);
  const faults = words.flatMap((word) => toFault(word) ?? []);
  const isWhole = plays.length + faults.length === words.length && plays.every(isFirstAt);
  return nodes > 0 && isWhole && faults.every(({ node = 0 }) => node < nodes) ? { nodes, plays, faults } : undefined;
}

function toPlay(word: string): Play | undefined {
  const found = /^(official|own)\/(replay|snapshot|none)@(\d+)x(\d+)(\/paired)?(\/left)?$/.exec(word);
  if (found === null) return undefined;
  const [, player, contract, at, calls, paired, left] = found;
  return {
    player: player as PlayerKind,
    contract: contract as Contract,
    at: Number(at),
    calls: Number(calls),
    isPaired: paired !== undefined,
    isLeft: left !== undefined,
  };
}

function toFault(word: string): Fault | undefined {
  const found = /^([a-z-]+)(?::(\d))?@(\d+)\+(\d+)$/.exec(word);
  const kind = FAULT_KINDS.find((each) => each === found?.[1]);
  if (found === null || kind === undefined || OF_ALL.has(kind) !== (found[2] === undefined)) return undefined;
  const node = found[2] === undefined ? undefined : Number(found[2]);
  return { kind, node, at: Number(found[3]), forMs: Number(found[4]) };
}
