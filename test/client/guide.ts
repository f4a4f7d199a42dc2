// The code of docs/client.md, which quotes it paragraph by paragraph; document.test.ts runs it and compares.
import {
  type Client,
  connect,
  fromProviderCall,
  MaxRetries,
  OutcomeUnknown,
  type Session,
  SessionTerminated,
  ToolCallError,
  ToolFailed,
} from 'tiltyard/client';
import type { gsm8k } from '../../examples/gsm8k/environment.ts';

export async function guide(url: string): Promise<void> {
  const client = connect(url);
  console.log(await client.environments()); // => [ 'gsm8k' ]

  await discover(client);
  await play(client);
  await playWithProvider(client);
  await playTyped(url);
  await limitTime(client);

  await using session = await client.session({ split: 'test', index: 1 });
  console.log(await act(session, 'submit', { answer: 'three' })); // => Tool 'submit' failed: 'three' is not a number. Send the number only, such as 72 or 4.50
  console.log(await act(session, 'sing', {})); // => 'sing' is not a valid tool
}

async function discover(client: Client): Promise<void> {
  const environment = client.environment('gsm8k');
  console.log(await environment.splits()); // => [ { name: 'train', type: 'train' }, { name: 'test', type: 'test' } ]
  console.log(await environment.count('test')); // => 12
  console.log((await environment.task('test', 0)).answer); // => 920
  console.log((await environment.range('test', -2)).length); // => 2
  console.log(await environment.requiredSecrets()); // => []

  let longest = 0;
  for await (const task of environment.walk('train', { pageSize: 10 })) {
    longest = Math.max(longest, String(task.question).length);
  }
}

async function play(client: Client): Promise<void> {
  await using session = await client.session({ split: 'test', index: 1 });
  const [question] = await session.prompt();
  const names = (await session.tools()).map(({ name }) => name);
  console.log(question?.type, names); // => text [ 'submit', 'hint' ]
  const { text, reward, finished, metadata } = await session.call('submit', { answer: '3,000' });
  console.log(text, reward, finished, metadata); // => Correct! 1 true { hints: 0 }
}

/** Calls a tool for a model, and gives what the model should read; throws what ends the episode. */
async function act(session: Session, name: string, input: object): Promise<string> {
  try {
    return (await session.call(name, input)).text;
  } catch (error) {
    if (error instanceof ToolCallError) return error.message; // the model can mend it
    if (error instanceof ToolFailed) return 'The tool broke. Try something else.';
    if (error instanceof OutcomeUnknown || error instanceof MaxRetries) throw error; // it may have run: drop the episode
    if (error instanceof SessionTerminated) throw error; // begin a new one
    throw error;
  }
}

async function limitTime(client: Client): Promise<void> {
  const controller = new AbortController();
  await using session = await client.session({
    split: 'train',
    index: 0,
    signal: controller.signal, // ends all that the session waits for
    timeoutMs: 60_000, // for beginning it
  });
  await session.prompt({ timeoutMs: 30 * 60_000 }); // waits for setup
  await session.call('hint', {}, { timeoutMs: 10_000, signal: AbortSignal.timeout(20_000) });
}

async function playWithProvider(client: Client): Promise<void> {
  await using session = await client.session({ split: 'test', index: 1 });
  const tools = await session.tools({ format: 'anthropic' });
  const answer = await askModel(tools);

  const { id, name, input } = fromProviderCall(answer, 'anthropic');
  const { text } = await session.call(name, input);
  console.log({ type: 'tool_result', tool_use_id: id, content: text }); // => { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Correct!' }
}

/** Stands for a model. */
async function askModel(tools: readonly { name: string }[]): Promise<unknown> {
  return { type: 'tool_use', id: 'toolu_1', name: tools[0]?.name, input: { answer: '3000' } };
}

async function playTyped(url: string): Promise<void> {
  const client = connect<typeof gsm8k>(url);
  await using session = await client.session({ task: { question: 'How much is 6 times 7?', answer: 42 } });
  const { reward } = await session.call('submit', { answer: '42' });
  console.log(reward); // => 1
}
