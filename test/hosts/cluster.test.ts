import { type Environment, environment } from '../../src/core/index.ts';
import type { SessionHost, SessionOptions } from '../../src/sessions/index.ts';
import { MemoryCluster } from '../cluster/memory-cluster.ts';
import { eventually } from '../support/clock.ts';
import { describeHost } from './contract.ts';
import { environments } from './environments.ts';

/** The environments of the contract, as their author would declare them: to be built again. */
const replayed: readonly Environment[] = environments.map((each) =>
  each.durability === undefined ? environment({ ...each, durability: 'replay' } as never) : each,
);

describeHost('a node that is alone in its cluster', async (options) => {
  const { host } = await new MemoryCluster(replayed).join('only', options);
  return host;
});

async function gateway(options: Partial<SessionOptions>): Promise<SessionHost> {
  const cluster = new MemoryCluster(replayed);
  const { host } = await cluster.join('gateway', options);
  await cluster.join('owner', options);
  await eventually(() => {
    if (host.membership.alive.length < 2) throw new Error('it does not know the other one yet');
  });
  // It takes none of its own from now on.
  host.membership.draining = true;
  await eventually(() => {
    if (host.membership.byRoom[0] !== 'owner') throw new Error('it is not known to be draining yet');
  });
  return host;
}

describeHost('a node whose sessions live at another one', gateway, 'go on');
