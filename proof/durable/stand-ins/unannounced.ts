import { DurableRun as Announced } from '../../../src/durable/durable-run.ts';

export type { RunOwner } from '../../../src/durable/durable-run.ts';

/** Does not tell clients the ids of their calls before they run. */
export class DurableRun extends Announced {
  override announce(): void {}
}
