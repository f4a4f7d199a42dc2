import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RECORD_SCHEMA, readStoredRecord } from 'tiltyard/records';
import { type RolloutOptions, rollouts } from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import { startFakeModel } from '../support/model/fake-model.ts';
import { type FakeWire, type Script, WIRES } from '../support/model/script.ts';
import { episodesOf, eventsOf, filesOf, runFolder } from '../support/runs.ts';
import { newCounts, questions, serveQuiz } from './quiz.ts';

/** Plays one task with a model that does what the script says. */
async function play(wire: FakeWire, script: Script, options: Partial<RolloutOptions> = {}) {
  const counts = newCounts();
  const target = await serveQuiz(questions(1), counts);
  const model = await startFakeModel(script);
  const out = runFolder();
  const result = await rollouts({ target, out, model: model.name(wire), retries: 0, ...options });
  const [line] = await episodesOf(out);
  if (line === undefined) throw new Error('nothing was played');
  return { ...result, out, line, counts, requests: model.requests };
}

const submit = (answer: string) => ({ name: 'submit', input: { answer } });

test.each(WIRES)('a model plays an episode over %s, and each message is in the record once, verbatim', async (wire) => {
  const { line, out, requests } = await play(wire, ({ turn }) =>
    turn === 0 ? { text: 'Let me look.', calls: [{ name: 'part' }] } : { calls: [submit('0')] },
  );
  expect(line).toMatchObject({ stop: 'finished', reward: 1.25, steps: 2, tokens: { input: 20, output: 10 } });
  expect(requests).toHaveLength(2);
  const events = await eventsOf(out, 0);
  const messages = events.filter((event) => event.type === 'message');
  expect(messages.every(({ format }) => format === wire)).toBe(true);
  expect(messages.flatMap(({ model }) => (model === undefined ? [] : [model.usage?.output]))).toEqual([5, 5]);
  // What was sent to the model second holds, byte for byte, all that the record has before its answer.
  const sent = JSON.stringify(requests[1]?.body);
  const asked = messages.findLastIndex(({ model }) => model !== undefined);
  for (const { body } of messages.slice(0, asked)) expect(sent).toContain(JSON.stringify(body));
  if (wire !== 'openai-chat') expect(sent).toContain('signature-of-reasoning');
});

test.each(WIRES)(
  'Q1: over %s, a model call names by number the messages that it was sent, whoever else talks',
  async (wire) => {
    const { out, requests } = await play(wire, () => ({ text: 'so' }), {
      agent: async ({ model, call }) => {
        const [one, other] = [model?.start({ tools: [] }), model?.start({ tools: [] })];
        for (let turn = 0; turn < 3; turn += 1) {
          await one?.next(turn === 0 ? undefined : `one ${turn}`);
          await call('part');
          await other?.next(turn === 0 ? undefined : `other ${turn}`);
          await one?.next('once more');
        }
        await call('submit', { answer: '0' });
      },
    });
    const events = await eventsOf(out, 0);
    const made = events.flatMap((event) =>
      event.type === 'message' && event.model !== undefined ? [event.model] : [],
    );
    expect(made).toHaveLength(9);
    for (const [at, { context }] of made.entries()) {
      const named = events.filter(({ n, type }) => type === 'message' && context.some(([a, b]) => a <= n && n <= b));
      const { messages, input, contents } = requests[at]?.body ?? {};
      expect(named.map((event) => event.type === 'message' && event.body)).toEqual(messages ?? input ?? contents);
    }
  },
);

test.each(WIRES)('Q1: what a run over %s records fits the published schema', async (wire) => {
  const { out } = await play(wire, ({ turn }) =>
    turn === 0 ? { text: 'Look.', calls: [{ name: 'look' }, { name: 'refuse' }] } : { calls: [submit('0')] },
  );
  const validate = new Ajv2020({ strict: false }).compile(RECORD_SCHEMA);
  for await (const event of readStoredRecord(join(out, 'events', '0.1.jsonl')))
    expect(validate(event) || [event, validate.errors]).toBe(true);
});

test.each(WIRES)('Q10: over %s, arguments that make no sense and unknown tools go back to the model', async (wire) => {
  const { line, requests, counts } = await play(wire, ({ turn }) =>
    turn === 0
      ? { calls: [{ name: 'submit', raw: '{"answer": ' }, { name: 'nonsense' }, { name: 'refuse' }] }
      : { calls: [submit('0')] },
  );
  expect(line).toMatchObject({ stop: 'finished', reward: 1 });
  const second = JSON.stringify(requests[1]?.body);
  expect(second).toMatch(/not valid JSON|must be a JSON object/);
  expect(second).toMatch(/nonsense/);
  expect(second).toContain('not now');
  expect(counts.inputs).toEqual(['0']);
});

test.each(WIRES)(
  'Q10: over %s, parallel calls are answered in their order, and none is sent after the finish',
  async (wire) => {
    const { requests, counts, line } = await play(wire, ({ turn }) =>
      turn === 0
        ? { calls: [{ name: 'part' }, { name: 'refuse' }, { name: 'part' }] }
        : { calls: [submit('0'), submit('never sent')] },
    );
    const second = JSON.stringify(requests[1]?.body);
    const places = ['part 1', 'not now', 'part 2'].map((text) => second.indexOf(text));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(counts.inputs).toEqual(['0']);
    expect(line).toMatchObject({ stop: 'finished', steps: 4 });
  },
);

test.each(WIRES)('images of a tool reach the model over %s', async (wire) => {
  const { requests } = await play(wire, ({ turn }) =>
    turn === 0 ? { calls: [{ name: 'look' }] } : { calls: [submit('0')] },
  );
  const body = requests[1]?.body;
  const last = (body.messages ?? body.input ?? body.contents).at(-1);
  expect(JSON.stringify(last)).toContain('iVBORw0KGgo');
  // Chat Completions has no place for it in the tool's message; the others have.
  if (wire === 'openai-chat') expect([body.messages.at(-2).role, last.role]).toEqual(['tool', 'user']);
  else expect(JSON.stringify(last)).toContain('a dot:');
});

test.each(WIRES)('Q10: over %s, a conversation that is too long ends as context, and counts', async (wire) => {
  const { line } = await play(wire, ({ turn }) => (turn === 0 ? { calls: [{ name: 'part' }] } : { fault: 'overflow' }));
  expect(line).toMatchObject({ stop: 'context', outcome: 'cancelled', fault: 'agent', reward: 0.25 });
});

test.each(WIRES)('refusals, cut answers and answers without a call end the episode over %s', async (wire) => {
  const stopOf = async (script: Script) => (await play(wire, script)).line;
  expect(await stopOf(() => ({ ending: 'refusal' }))).toMatchObject({ stop: 'refused', fault: 'agent', reward: 0 });
  expect(await stopOf(() => ({ text: 'I was just about to', ending: 'length' }))).toMatchObject({ stop: 'max_tokens' });
  expect(await stopOf(() => ({ text: 'It is 0, I think.' }))).toMatchObject({ stop: 'gave_up', reward: 0 });
});

// Side by side, since each waits before it repeats something.
test('over all wires, a hiccup of the model is repeated within the episode', async () => {
  const faults: ReturnType<Script>[] = [{ fault: 'status', status: 500 }, { fault: 'cut' }, { fault: 'bad-json' }];
  const script: Script = ({ number }) => faults[number] ?? { calls: [submit('0')] };
  const played = await Promise.all(WIRES.map((wire) => play(wire, script)));
  for (const { line, requests, out } of played) {
    expect(line).toMatchObject({ stop: 'finished', reward: 1, attempt: 1 });
    expect(requests).toHaveLength(4);
    const notes = (await eventsOf(out, 0)).filter((event) => event.type === 'note');
    expect(notes).toHaveLength(3);
  }
});

test('Q7: a model that keeps failing changes coverage, not the mean; the attempt is tried again', async () => {
  const { line, summary, out } = await play('openai-chat', () => ({ fault: 'status', status: 500 }), { retries: 1 });
  expect(line).toMatchObject({ stop: 'model_error', outcome: 'cancelled', fault: 'model', reward: null });
  expect(summary).toMatchObject({ coverage: 0, reward: null, stops: { model_error: 2 } });
  expect((await episodesOf(out)).map(({ attempt }) => attempt)).toEqual([1, 2]);
});

test('Q16: a redirect, which would carry the key elsewhere, is not followed', async () => {
  const elsewhere = await startFakeModel(() => ({ calls: [submit('0')] }));
  const to = `${elsewhere.name('openai-chat').split('@')[1]}/chat/completions`;
  const { line, requests } = await play('openai-chat', () => ({ fault: 'redirect', to }));
  expect(line).toMatchObject({ stop: 'model_error', reward: null });
  expect(requests).toHaveLength(1);
  expect(elsewhere.requests).toEqual([]);
});

test.each(WIRES)('Q16: no key is in any file of a run over %s, whatever the server says', async (wire) => {
  const key = 'sk-very-secret-1234567890';
  process.env.TILTYARD_MODEL_API_KEY = key;
  try {
    const { out, requests, line } = await play(wire, ({ turn }) =>
      turn === 0
        ? { text: `your key is ${key}`, calls: [{ name: 'submit', raw: `{"${key}` }] }
        : { fault: 'status', status: 400, message: `bad key ${key}` },
    );
    expect(JSON.stringify(requests[0]?.headers)).toContain(key);
    expect(line.stop).toBe('model_error');
    // What is wrong with a request stays wrong with it.
    expect(requests).toHaveLength(2);
    for (const [name, content] of await filesOf(out)) expect(content.includes(key), name).toBe(false);
  } finally {
    delete process.env.TILTYARD_MODEL_API_KEY;
  }
});

test('Q16: no secret is in any file of a run, in whichever form an agent throws it', async () => {
  const TOKEN = 'a very/secret+token';
  const { out } = await play('google', () => ({ text: 'so' }), {
    secrets: { TOKEN },
    agent: async ({ note }) => {
      note(`the token is ${TOKEN}`);
      throw new Error(`${TOKEN} ${Buffer.from(TOKEN).toString('base64')} ${encodeURIComponent(TOKEN)}`);
    },
  });
  for (const [name, content] of await filesOf(out))
    expect(content, name).not.toMatch(/secret\+token|secret%2Btoken|NlY3JldCt0b2/);
});

test('--max-turns and --max-tokens hold over all turns of an episode', async () => {
  const endless: Script = () => ({ calls: [{ name: 'part' }], usage: { input: 1, output: 40 } });
  expect((await play('openai-chat', endless, { maxTurns: 3 })).line).toMatchObject({ stop: 'max_turns', steps: 3 });
  const { line, requests } = await play('anthropic', endless, { maxTokens: 100 });
  expect(line).toMatchObject({ stop: 'max_tokens', tokens: { output: 120 } });
  expect(requests.map(({ body }) => body.max_tokens)).toEqual([100, 60, 20]);
});

test('parameters and a system prompt go along with every request', async () => {
  const { requests } = await play('openai-chat', () => ({ calls: [submit('0')] }), {
    parameters: { temperature: 0.5 },
    system: 'Be brief.',
  });
  expect(requests[0]?.body).toMatchObject({
    model: 'fake',
    temperature: 0.5,
    messages: [{ role: 'system', content: 'Be brief.' }, {}],
  });
});

test('an agent of your own talks to the model itself', async () => {
  const { line } = await play('openai-responses', ({ turn }) => ({ text: turn === 0 ? '0' : 'no' }), {
    agent: async ({ model, call }) => {
      const conversation = model?.start({ tools: [] });
      const { text } = (await conversation?.next()) ?? {};
      await call('submit', { answer: text ?? '' });
    },
  });
  expect(line).toMatchObject({ stop: 'finished', reward: 1 });
});

test('an answer that never ends is given up at 64 MB, as a failure of the model that may pass', {
  timeout: 60_000,
}, async () => {
  const { line, out } = await play('openai-chat', ({ number }) =>
    number === 0 ? { fault: 'endless' } : { calls: [submit('0')] },
  );
  expect(line).toMatchObject({ stop: 'finished', reward: 1 });
  expect(await eventsOf(out, 0)).toContainEqual(
    expect.objectContaining({ type: 'note', text: expect.stringMatching(/repeated: .* more than 64 MB/) }),
  );
});

test.each(WIRES)('over %s, tokens that the server does not report are estimated, so that limits hold', async (wire) => {
  const text = 'I think about it. '.repeat(20);
  const script: Script = () => ({ text, calls: [{ name: 'part' }], isUncounted: true });
  const limited = await play(wire, script, { maxTokens: 250 });
  expect(limited.line).toMatchObject({ stop: 'max_tokens', tokens: { estimated: true } });
  expect(limited.line.tokens.output).toBeGreaterThanOrEqual(250);
  expect(limited.summary.tokens).toEqual(limited.line.tokens);
  const usages = (await eventsOf(limited.out, 0)).flatMap((event) =>
    event.type === 'message' && event.model !== undefined ? [event.model.usage] : [],
  );
  expect(usages[0]).toMatchObject({ estimated: true });
  const budgeted = await play(wire, script, { budgetTokens: 1_000 });
  expect(budgeted.ending.status).toBe('budget');
  const { input, output } = budgeted.summary.tokens;
  // By the last request at the most.
  expect(input + output).toBeLessThan(3_000);
  const counted = await play(wire, () => ({ calls: [submit('0')] }));
  expect(counted.summary.tokens).toEqual({ input: 10, output: 5 });
});
