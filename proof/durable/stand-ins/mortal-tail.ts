import type { Change } from '../../../src/journal/change.ts';
import type { Frame } from '../../../src/journal/frames.ts';
import { Tail as Lasting } from '../../../src/journal/tail.ts';
import type { TailName } from '../../../src/journal/tail-files.ts';
import { death } from './death.ts';

/** The newest changes of a journal whose process may die before or after they are written, and before or after they are not needed any more. */
export class Tail extends Lasting {
  override async write(changes: readonly Change[]): Promise<Frame[]> {
    if (death.before('tail')) return new Promise(() => {});
    const frames = await super.write(changes);
    death.after('tail');
    return frames;
  }

  override async remove(ended: TailName): Promise<void> {
    if (death.before('forget')) return new Promise(() => {});
    await super.remove(ended);
    death.after('forget');
  }
}
