import { type Beat, type Bus, nodeSubject } from '../../cluster/index.ts';
import { Failure } from '../shared/failure.ts';
import { formatCount } from '../shared/report/format.ts';
import { processTerminal } from '../shared/terminal.ts';
import { type Beats, watchBeats } from './watch-beats.ts';

const ANSWER_MS = 3_000;
const LOOK_EVERY_MS = 250;

/** Lets a node hand over its sessions, and waits until it has none left that others could go on with. */
export async function drain(nats: string, node: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const terminal = processTerminal();
  await watchBeats(nats, async (beats, bus) => {
    const found = find(beats, node);
    const { id, name } = found;
    assertHeir(beats, found);
    await order(bus, id);
    let last = -1;
    for (;;) {
      const beat = beats.get(id);
      if (beat === undefined || (beat.draining && beat.movable === 0)) {
        const sessions = beat?.sessions ?? 0;
        if (json) terminal.printJson({ name, id, sessions });
        else terminal.print(toResult(name, beat));
        return;
      }
      if (!json && beat.movable !== last) terminal.note(`${name}: ${beat.movable} sessions to hand over`);
      last = beat.movable;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  });
}

function find(beats: Beats, node: string): Beat {
  const all = [...beats.values()];
  const found = all.filter(({ id, name }) => id === node || name === node);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (first !== undefined)
    throw new Failure(`several nodes are named '${node}'. Name one by its id: ${found.map(({ id }) => id).join(', ')}`);
  const names = all.map(({ name }) => name).join(', ');
  throw new Failure(all.length === 0 ? 'no node of a cluster was heard' : `no node '${node}'. There are: ${names}`);
}

/** A node that waits for another one to come would wait without a word. */
function assertHeir(beats: Beats, { id, name, movable }: Beat): void {
  const hasHeir = [...beats.values()].some((other) => other.id !== id && !other.draining);
  if (!hasHeir && movable > 0)
    throw new Failure(`no other node can take the ${formatCount(movable, 'session')} of ${name}. Start one first`);
}

async function order(bus: Bus, id: string): Promise<void> {
  try {
    await bus.request(nodeSubject(id), { op: 'drain', id: `drain ${crypto.randomUUID()}` }, ANSWER_MS);
  } catch (cause) {
    throw new Failure(`node ${id} does not answer. Is it stopped?`, undefined, { cause });
  }
}

function toResult(name: string, beat: Beat | undefined): string {
  if (beat === undefined) return `${name} has left the cluster.`;
  if (beat.sessions === 0) return `${name} has no sessions, and can be stopped.`;
  return `${name} can be stopped. ${beat.sessions} sessions cannot go on elsewhere, and end with it.`;
}
