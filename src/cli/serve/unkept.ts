import type { Server } from '../../server/index.ts';

/** Says which environments keep nothing in a journal, as is their default; undefined if all keep something. */
export function unkeptNote({ environments }: Pick<Server, 'environments'>): string | undefined {
  const names = environments.filter(({ durability }) => durability === 'none').map(({ name }) => `'${name}'`);
  if (names.length === 0) return undefined;
  const who =
    names.length === 1
      ? `${names[0]} keeps nothing in the journal: its`
      : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} keep nothing in the journal: their`;
  return `${who} episodes end with this server. To keep them, declare durability: 'replay' or 'snapshot' (see docs/durability.md)`;
}
