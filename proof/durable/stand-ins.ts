// Files that take the place of one of src/ when a target loads it, so that nothing in src/ knows of proofs.

/** What each of them stands in for. */
const REPLACED = {
  'mortal-journal': 'journal/open-journal.ts',
  'mortal-stores': 'journal/stores.ts',
  'mortal-tail': 'journal/tail.ts',
  'mortal-tables': 'journal/owned-tables.ts',
  unannounced: 'durable/durable-run.ts',
  'without-effects': 'durable/durable-run.ts',
  unawaited: 'durable/session-journal.ts',
  unnoted: 'durable/session-journal.ts',
  uncompared: 'sessions/told-digest.ts',
  unfenced: 'cluster/nats/nats-journal.ts',
  'unannounced-anywhere': 'cluster/cluster-host.ts',
} as const;

/** A file of `stand-ins/`. */
export type StandIn = keyof typeof REPLACED;

/** How a process is started in which these files stand in for others. */
export function withStandIns(names: readonly StandIn[]): { execArgv: string[]; env: Record<string, string> } {
  if (names.length === 0) return { execArgv: [], env: {} };
  const at = (path: string) => new URL(path, import.meta.url).href;
  const pairs = names.map((name) => [at(`../../src/${REPLACED[name]}`), at(`stand-ins/${name}.ts`)]);
  return {
    // Nothing stands in for what was built.
    execArgv: ['--conditions=tiltyard-source', '--import', at('stand-ins/register.mjs')],
    env: { STAND_INS: JSON.stringify(pairs) },
  };
}
