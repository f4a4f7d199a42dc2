import type { Fault, Play, Schedule } from './schedule.ts';

/** Looks for a smaller schedule that still fails: tries what is left without each part, and with less of it, until nothing helps. */
export async function shrink(schedule: Schedule, fails: (schedule: Schedule) => Promise<boolean>): Promise<Schedule> {
  for (const smaller of smallerOnes(schedule)) if (await fails(smaller)) return shrink(smaller, fails);
  return schedule;
}

/** The simplest ones first. */
function* smallerOnes(schedule: Schedule): Generator<Schedule> {
  const { nodes, plays, faults } = schedule;
  for (const index of faults.keys()) yield { ...schedule, faults: without(faults, index) };
  if (plays.length > 1) for (const index of plays.keys()) yield { ...schedule, plays: without(plays, index) };
  const needed = Math.max(0, ...faults.map(({ node = 0 }) => node)) + 1;
  if (nodes > Math.max(needed, 1)) yield { ...schedule, nodes: nodes - 1 };
  for (const [index, play] of plays.entries())
    for (const simpler of simplerPlays(play)) yield { ...schedule, plays: replaced(plays, index, simpler) };
  for (const [index, fault] of faults.entries())
    for (const shorter of shorterFaults(fault)) yield { ...schedule, faults: replaced(faults, index, shorter) };
}

function* simplerPlays(play: Play): Generator<Play> {
  if (play.calls > 1) yield { ...play, calls: play.calls - 1 };
  if (play.isPaired) yield { ...play, isPaired: false };
  if (play.isLeft) yield { ...play, isLeft: false };
}

function* shorterFaults(fault: Fault): Generator<Fault> {
  const { forMs } = fault;
  if (forMs > 100) yield { ...fault, forMs: Math.floor(forMs / 2) };
}

function without<Value>(values: readonly Value[], index: number): Value[] {
  return values.filter((_value, each) => each !== index);
}

function replaced<Value>(values: readonly Value[], index: number, value: Value): Value[] {
  return values.map((each, at) => (at === index ? value : each));
}
