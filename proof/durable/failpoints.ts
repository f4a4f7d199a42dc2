/** When a process dies: `before`, the record is never written, and the process dies a moment later; `after`, it is, and nobody has heard of it. */
export interface Failpoint {
  readonly moment: 'before' | 'after';
  readonly step: Step;
  /** At the which of these steps, counted from 1. */
  readonly count: number;
}

/** What is done with a journal: records of these types are written, and: */
export type Step = (typeof WRITTEN)[number] | (typeof OTHERS)[number];

const WRITTEN = [
  'create',
  'setup',
  'prompt',
  'begin',
  'end',
  'touch',
  'close',
  'lost',
  'tool_begin',
  'tool_end',
  'drop',
] as const;

// It is opened, and taken from the server before; what that told last is taken in, what it left is looked at, and a session is read. Changes
// are written to the tail, come into the tables, and leave the tail.
const OTHERS = ['open', 'claim', 'take-in', 'recover', 'read', 'tail', 'table', 'forget'] as const;

// There may be only one of these in the life of a server.
const RARE: ReadonlySet<Step> = new Set(['open', 'claim', 'take-in', 'lost']);

/** One at each step, before and after it: at the second of its kind, where a process comes to more than one. */
export const FAILPOINTS: readonly Failpoint[] = mixed(OTHERS, WRITTEN).flatMap((step) => {
  const count = RARE.has(step) ? 1 : 2;
  return [
    { moment: 'before', step, count },
    { moment: 'after', step, count },
  ];
});

/** One of each in turn: clients would give up if no server came to listen for long. */
function mixed(some: readonly Step[], others: readonly Step[]): Step[] {
  const longest = Math.max(some.length, others.length);
  return Array.from({ length: longest }, (_, at) => [some[at] ?? [], others[at] ?? []].flat()).flat();
}

/** For the environment of a target. */
export function toText({ moment, step, count }: Failpoint): string {
  return `${moment} ${step} ${count}`;
}
