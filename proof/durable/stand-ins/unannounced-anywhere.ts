import { ClusterHost as Announcing } from '../../../src/cluster/cluster-host.ts';

export type { ClusterObserver } from '../../../src/cluster/cluster-host.ts';

/** A node that tells clients the ids of their calls only with their results. */
export class ClusterHost extends Announcing {
  override call(...[ref, request, on]: Parameters<Announcing['call']>): () => void {
    return super.call(ref, request, (event) => void (event.kind === 'settled' && on(event)));
  }
}
