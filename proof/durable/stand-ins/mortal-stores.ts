import { openStores as open, type Stores } from '../../../src/journal/stores.ts';
import { death, die } from './death.ts';

export { isUnfinished, type Stores } from '../../../src/journal/stores.ts';

/** Opens a journal whose process may die while it takes possession of it: within the transaction, or when it is committed. */
export async function openStores(folder: string, use: 'read' | 'write'): Promise<Stores | undefined> {
  const stores = await open(folder, use);
  if (use === 'read' || stores === undefined) return stores;
  const transact = stores.meta.transactionSync.bind(stores.meta);
  stores.meta.transactionSync = ((change: () => unknown) => {
    const claimed = transact(() => {
      const changed = change();
      if (death.before('claim')) die();
      return changed;
    });
    death.after('claim');
    return claimed;
  }) as typeof stores.meta.transactionSync;
  return stores;
}
