import { DurableRun as WithEffects } from '../../../src/durable/durable-run.ts';

export type { RunOwner } from '../../../src/durable/durable-run.ts';

/** Takes every tool for one that changes the state alone. */
export class DurableRun extends WithEffects {
  constructor(...[owner, request, , listener]: ConstructorParameters<typeof WithEffects>) {
    super(owner, request, 'state', listener);
  }
}
