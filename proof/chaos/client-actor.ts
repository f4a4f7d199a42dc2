import { AsyncLocalStorage } from 'node:async_hooks';
import { type Client, ClientError, connect, type Session } from 'tiltyard/client';
import type { Random } from '../random.ts';
import { toThrownAnswer } from './answers.ts';
import { chooseCall, chooseTask } from './choices.ts';
import { type Answer, brief } from './events.ts';
import type { History } from './history.ts';

/** What an actor needs: where to send, what to choose, and where to note what came of it. */
export interface Stage {
  /** Straight to the server. */
  readonly port: number;
  /** To the server through a proxy that cuts connections. */
  readonly cuttingPort: number;
  readonly random: Random;
  readonly history: History;
}

/** Plays one episode with our own client, over connections that break. */
export async function playWithClient({ cuttingPort, random, history }: Stage, episode: string): Promise<void> {
  const client = chaosClient(cuttingPort, history);
  const abandon = new AbortController();
  const session = await begin(client, episode, { random, history, signal: abandon.signal });
  if (session === undefined) return;
  const count = 1 + random.below(6);
  for (let number = 0; number < count; number += 1) {
    const together = Array.from({ length: 1 + random.below(3) }, (_, index) =>
      call(session, `${episode}.${number}.${index}`, { random, history, episode }),
    );
    await Promise.all(together);
    if (random.chance(0.1)) await read(session, episode, history);
  }
  // Some never come back; the server must notice by itself.
  if (random.chance(0.25)) return abandon.abort(new ClientError('abandoned'));
  await expectClientError(episode, history, 'closing', session.close());
}

// Which call a request belongs to: the client makes its id, and nobody is told it when the connection breaks.
const sending = new AsyncLocalStorage<string>();

// Gives up sooner than it would by itself.
function chaosClient(port: number, history: History): Client {
  return connect(`http://127.0.0.1:${port}`, {
    environment: 'chaos',
    apiKey: '',
    pingMs: 300,
    silenceMs: 5_000,
    retry: { attempts: 6, pauseMs: 5, maxPauseMs: 100 },
    fetch(url, init) {
      const token = sending.getStore();
      if (token !== undefined) history.nameCall(token, JSON.parse(String(init?.body)).task_id);
      return fetch(url, init);
    },
  });
}

interface Beginning {
  readonly random: Random;
  readonly history: History;
  readonly signal: AbortSignal;
}

async function begin(client: Client, episode: string, { random, history, signal }: Beginning) {
  const task = chooseTask(random, episode);
  return expectClientError(episode, history, 'beginning', client.session({ task, signal }));
}

async function call(
  session: Session,
  token: string,
  { random, history, episode }: Pick<Stage, 'random' | 'history'> & { episode: string },
): Promise<void> {
  const { tool, input } = chooseCall(random, token, random.chance(0.08) ? 'finish' : undefined);
  // A setup may hang for ever.
  const timeoutMs = random.chance(0.15) ? 1 + random.below(50) : 2_000;
  await history.call(episode, { token, tool }, async (): Promise<Answer> => {
    try {
      const result = await sending.run(token, () => session.call(tool, input, { timeoutMs }));
      const { text, reward, finished, outcome } = result;
      return { kind: 'scored', scored: { text: brief(text), reward, finished }, outcome };
    } catch (error) {
      return toThrownAnswer(error) ?? surprise(error, `the call ${token}`, { history, episode });
    }
  });
}

async function read(session: Session, episode: string, history: History): Promise<void> {
  const prompt = await expectClientError(episode, history, 'the prompt', session.prompt({ timeoutMs: 500 }));
  const [block] = prompt ?? [];
  if (block?.type === 'text' && block.text !== `This is ${episode}.`)
    history.tell(episode, { what: 'fault', why: `it got the prompt of another episode: ${block.text}` });
}

// What may fail, fails only in the ways that the client's documents name.
async function expectClientError<Value>(
  episode: string,
  history: History,
  what: string,
  work: Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await history.within(episode, what, work);
  } catch (error) {
    if (!(error instanceof ClientError)) surprise(error, what, { history, episode });
    return undefined;
  }
}

function surprise(error: unknown, what: string, { history, episode }: { history: History; episode: string }): Answer {
  const why = `${what} threw what is no ClientError: ${error instanceof Error ? error.stack : String(error)}`;
  history.tell(episode, { what: 'fault', why });
  return { kind: 'unknown', why: 'a surprise' };
}
