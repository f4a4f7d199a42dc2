import { openStores as open, type Stores } from '../../../src/journal/stores.ts';
import type { Step } from '../failpoints.ts';
import { death, die } from './death.ts';

export { isUnfinished, type Stores } from '../../../src/journal/stores.ts';

/**
 * Opens a journal whose process may die while it takes possession of it, or takes in what the one before told last: within the transaction,
 * or when it is committed.
 */
export async function openStores(folder: string, use: 'read' | 'write'): Promise<Stores | undefined> {
  const stores = await open(folder, use);
  if (use === 'read' || stores === undefined) return stores;
  const transact = stores.meta.transactionSync.bind(stores.meta);
  let step: Step = 'claim';
  stores.meta.transactionSync = ((change: () => unknown) => {
    const result = transact(() => {
      const changed = change();
      if (death.before(step)) die();
      return changed;
    });
    death.after(step);
    step = 'take-in';
    return result;
  }) as typeof stores.meta.transactionSync;
  return stores;
}
