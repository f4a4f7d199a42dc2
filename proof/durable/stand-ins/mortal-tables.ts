import type { KeyChanges } from '../../../src/journal/backlog.ts';
import { OwnedTables as Lasting } from '../../../src/journal/owned-tables.ts';
import type { TailName } from '../../../src/journal/tail-files.ts';
import { death } from './death.ts';

/** Tables whose process may die before or after they get what was told. */
export class OwnedTables extends Lasting {
  override async put(all: Iterable<KeyChanges>, tail: TailName): Promise<boolean> {
    if (death.before('table')) return new Promise(() => {});
    const isOurs = await super.put(all, tail);
    death.after('table');
    return isOurs;
  }
}
