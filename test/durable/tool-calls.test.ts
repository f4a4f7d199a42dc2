import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool, toolkit } from 'tiltyard';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { ToolCallRecord } from '../../src/durable/index.ts';
import { JournalFull, MemoryJournal } from '../../src/journal/index.ts';
import { note, Stage, waitAt } from '../hosts/stage.ts';
import { newFolder } from '../journal/folders.ts';
import { eventually } from '../support/clock.ts';
import { type KeepingToolOptions, keepingToolbox, toldValue } from './tool-stand.ts';

const input = z.object({ stage: z.string(), n: z.number().default(1) });
type Input = z.infer<typeof input>;
type Context = { callId: string; attempt: number };

function run({ stage, n }: Input, { callId, attempt }: Context): string {
  note(stage, `ran ${callId} ${attempt}`);
  return `${n} ${process.hrtime.bigint()}`;
}

async function wait(given: Input, context: Context & { signal: AbortSignal }): Promise<string> {
  const told = run(given, context);
  await waitAt(given.stage, 'gate', context.signal);
  return told;
}

const kit = toolkit({
  name: 'Kit',
  tools: {
    Mail: tool({ description: 'Must not be done twice.', input, run }),
    MailLater: tool({ description: 'The same, and waits.', input, run: wait }),
    Look: tool({ description: 'May be done twice.', input, effects: 'idempotent', run }),
    LookLater: tool({ description: 'The same, and waits.', input, effects: 'idempotent', run: wait }),
    Quote: tool({
      description: 'Tells a secret.',
      input,
      requirements: { secrets: ['KEY'] },
      run: (given, context) => `${run(given, context)} ${context.secrets.KEY}`,
    }),
    QuoteAgain: tool({
      description: 'Tells a secret, and may be done twice.',
      input,
      effects: 'idempotent',
      requirements: { secrets: ['KEY'] },
      run: (given, context) => `${run(given, context)} ${context.secrets.KEY}`,
    }),
  },
});

function begin(options: Partial<KeepingToolOptions> = {}) {
  const stage = new Stage();
  const folder = newFolder();
  return {
    stage,
    folder,
    given: { stage: stage.folder },
    start: (more: Partial<KeepingToolOptions> = {}) => keepingToolbox(kit, { folder, ...options, ...more }),
  };
}

test('J14: after a restart, the repeat of a call that has ended gives its result, and runs nothing', async () => {
  const { start, stage, given } = begin();
  const first = await start();
  const told = await first.call('Kit.Mail', { callId: 'a', input: given });
  await first.die();
  const second = await start();
  expect(await second.call('Kit.Mail', { callId: 'a', input: given })).toEqual(told);
  // Not another caller's.
  expect(await second.call('Kit.Mail', { callId: 'a', input: given, identity: 'anna' })).not.toEqual(told);
  expect(stage.trace).toEqual(['ran a 1', 'ran a 1']);
});

test('J14: the repeat of a failure gives the failure, with all that the tool said', async () => {
  const failing = toolkit({
    name: 'Kit',
    tools: {
      Fail: tool({
        description: 'Fails.',
        run: () => {
          throw new Error(`once ${process.hrtime.bigint()}`);
        },
      }),
    },
  });
  const folder = newFolder();
  const first = await keepingToolbox(failing, { folder });
  const told = await first.call('Kit.Fail', { callId: 'a' });
  await first.die();
  const second = await keepingToolbox(failing, { folder });
  expect(await second.call('Kit.Fail', { callId: 'a' })).toEqual(told);
});

test('J14, J3: after a restart, the repeat of an external call that may have run is told so, and never runs', async () => {
  const { start, stage, given } = begin();
  const first = await start();
  first.hear('Kit.MailLater', { callId: 'a', input: given });
  await stage.reached('ran a 1');
  await first.die();
  for (const _restart of [1, 2]) {
    const next = await start();
    const told = await next.call('Kit.MailLater', { callId: 'a', input: given });
    expect(told).toMatchObject({
      kind: 'failed',
      outcome: 'env_error',
      failure: { code: 'outcome_unknown', canRetry: false, developerMessage: expect.stringContaining('not known') },
    });
    expect(await next.call('Kit.MailLater', { callId: 'a', input: given })).toEqual(told);
    expect(next.events.filter(({ type }) => type === 'call_ended')).toHaveLength(1);
    await next.die();
  }
  expect(stage.trace).toEqual(['ran a 1']);
});

test('J14: after a restart, the repeat of an idempotent call runs again under its id, and says so', async () => {
  const { start, stage, given } = begin();
  for (const attempt of [1, 2]) {
    const next = await start();
    next.hear('Kit.LookLater', { callId: 'a', input: given });
    await stage.reached(`ran a ${attempt}`);
    await next.die();
  }
  stage.open('gate');
  const last = await start();
  const told = await last.call('Kit.LookLater', { callId: 'a', input: given });
  expect(told).toMatchObject({ kind: 'returned' });
  await last.die();
  const after = await start();
  expect(await after.call('Kit.LookLater', { callId: 'a', input: given })).toEqual(told);
  expect(stage.trace).toEqual(['ran a 1', 'ran a 2', 'ran a 3']);
});

test('J14: after a restart, an id is still refused for another tool, input or user', async () => {
  const { start, stage, given } = begin();
  const first = await start();
  await first.call('Kit.Mail', { callId: 'ended', input: { ...given, n: 1 } });
  first.hear('Kit.LookLater', { callId: 'begun', input: given });
  await stage.reached('ran begun 1');
  await first.die();
  const second = await start();
  const others = [
    second.call('Kit.Mail', { callId: 'ended', input: { ...given, n: 2 } }),
    second.call('Kit.Look', { callId: 'ended', input: { ...given, n: 1 } }),
    second.call('Kit.Mail', { callId: 'ended', input: { ...given, n: 1 }, context: { user_id: 'bert' } }),
    second.call('Kit.LookLater', { callId: 'begun', input: { ...given, n: 2 } }),
  ];
  expect((await Promise.all(others)).map(toldValue)).toEqual(Array(4).fill('call_id_reused'));
  // The order of keys makes no difference.
  const same = await second.call('Kit.Mail', { callId: 'ended', input: { n: 1, ...given } });
  expect(same).toMatchObject({ kind: 'returned' });
  expect(stage.trace).toHaveLength(2);
});

test('J14: an input that is refused leaves its id free, also after a restart', async () => {
  const { start, given } = begin();
  const first = await start();
  expect(toldValue(await first.call('Kit.Mail', { callId: 'a', input: { n: 'x' } }))).toBe('invalid_input');
  expect(first.journal.size).toBe(0);
  await first.die();
  const second = await start();
  expect(await second.call('Kit.Mail', { callId: 'a', input: given })).toMatchObject({ kind: 'returned' });
});

test('J1: that a call begins is written before it runs, and how it ended before that is told', async () => {
  const held = new HeldJournal();
  const { start, stage, given } = begin({ journal: held });
  const { hear, journal } = await start();
  const heard = hear('Kit.Mail', { callId: 'a', input: given });
  await eventually(() => expect(held.waiting).toHaveLength(1));
  expect(stage.trace).toEqual([]);
  // A repeat waits for the same.
  const again = hear('Kit.Mail', { callId: 'a', input: given });
  held.release();
  await stage.reached('ran a 1');
  await eventually(() => expect(held.waiting).toHaveLength(1));
  expect([heard.ending, again.ending]).toEqual([undefined, undefined]);
  held.release();
  await eventually(() => expect(heard.ending).toMatchObject({ kind: 'returned' }));
  expect(again.ending).toEqual(heard.ending);
  expect([...journal.entries()]).toMatchObject([{ first: { type: 'tool_begin' }, last: { type: 'tool_end' } }]);
});

test('a call without an id is not written, and ends within the turn as without a journal', async () => {
  const { start, given } = begin({ journal: new MemoryJournal() });
  const { hear, journal } = await start();
  expect(hear('Kit.Mail', { input: given }).ending).toMatchObject({ kind: 'returned' });
  expect(journal.size).toBe(0);
});

const SECRET = 'a-secret-that-nobody-may-find';
const context = { secrets: [{ id: 'KEY', value: SECRET }] };

test('J6: without a key, nothing of a call with secrets is written but that it began', async () => {
  const { start, stage, given, folder } = begin();
  const first = await start();
  for (const name of ['Quote', 'QuoteAgain']) {
    const told = await first.call(`Kit.${name}`, { callId: name, input: given, context });
    expect(toldValue(told)).toContain(SECRET);
    expect(await first.call(`Kit.${name}`, { callId: name, input: given, context })).toEqual(told);
  }
  await first.die();
  expect(filesOf(folder)).toContain('tool_begin');
  expect(filesOf(folder)).not.toContain(SECRET);
  const second = await start();
  expect(toldValue(await second.call('Kit.Quote', { callId: 'Quote', input: given, context }))).toBe('outcome_unknown');
  // What may be done twice is done again.
  const again = await second.call('Kit.QuoteAgain', { callId: 'QuoteAgain', input: given, context });
  expect(toldValue(again)).toContain(SECRET);
  expect(stage.trace).toEqual(['ran Quote 1', 'ran QuoteAgain 1', 'ran QuoteAgain 2']);
});

test('J6: with a key, calls with secrets are kept like others, and nothing is in the clear', async () => {
  const { start, stage, given, folder } = begin({ keys: [Buffer.alloc(32, 7)] });
  const first = await start();
  const told = await first.call('Kit.Quote', { callId: 'a', input: given, context });
  await first.die();
  for (const word of [SECRET, 'tool_begin', 'Kit.Quote']) expect(filesOf(folder)).not.toContain(word);
  const second = await start();
  expect(await second.call('Kit.Quote', { callId: 'a', input: given, context })).toEqual(told);
  expect(stage.trace).toEqual(['ran a 1']);
});

test('J10: with a full disk, calls that would be kept are refused, and those under way wait', async () => {
  const journal = new HeldJournal();
  journal.release();
  const { start, stage, given } = begin({ journal });
  const { hear, call } = await start();
  const running = hear('Kit.MailLater', { callId: 'a', input: given });
  await stage.reached('ran a 1');
  journal.isFull = true;
  expect(toldValue(await call('Kit.Mail', { callId: 'b', input: given }))).toBe('journal_unavailable');
  stage.open('gate');
  expect(toldValue(await call('Kit.Mail', { callId: 'c', input: given }))).toBe('journal_unavailable');
  expect(await call('Kit.Mail', { input: given })).toMatchObject({ kind: 'returned' });
  expect(running.ending).toBeUndefined();
  journal.isFull = false;
  await eventually(() => expect(running.ending).toMatchObject({ kind: 'returned' }));
  await eventually(() => expect(journal.size).toBe(1));
  expect(await call('Kit.Mail', { callId: 'b', input: given })).toMatchObject({ kind: 'returned' });
  expect(stage.trace.filter((line) => line.includes(' b '))).toEqual(['ran b 1']);
});

test('J9: calls are dropped from the journal some time after they ended, also those of an earlier server', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { start, stage, given } = begin({ limits: { tombstoneMs: 60_000, lingerMs: 1 } });
  const first = await start();
  await first.call('Kit.Mail', { callId: 'early', input: given });
  await vi.advanceTimersByTimeAsync(30_000);
  await first.call('Kit.Mail', { callId: 'late', input: given });
  first.hear('Kit.MailLater', { callId: 'begun', input: given });
  await eventually(() => expect(stage.count('ran begun 1')).toBe(1));
  expect(first.journal.size).toBe(3);
  // What memory has forgotten is still in the journal.
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await first.call('Kit.Mail', { callId: 'early', input: given })).toMatchObject({ kind: 'returned' });
  await first.die();
  // While no server runs, nothing grows old.
  await vi.advanceTimersByTimeAsync(600_000);
  const second = await start();
  expect(second.journal.size).toBe(3);
  await vi.advanceTimersByTimeAsync(12_000);
  await eventually(() => expect(second.journal.size).toBe(2));
  expect(await second.call('Kit.Mail', { callId: 'late', input: given })).toMatchObject({ kind: 'returned' });
  await vi.advanceTimersByTimeAsync(32_000);
  await eventually(() => expect(second.journal.size).toBe(0));
  expect(stage.count('ran late 1')).toBe(1);
});

test('J9: a call that takes longer than calls are kept is not dropped under way', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { start, stage, given } = begin({ limits: { tombstoneMs: 60_000 } });
  const first = await start();
  first.hear('Kit.LookLater', { callId: 'a', input: given });
  await eventually(() => expect(stage.count('ran a 1')).toBe(1));
  await first.die();
  const second = await start();
  const heard = second.hear('Kit.LookLater', { callId: 'a', input: given });
  await eventually(() => expect(stage.count('ran a 2')).toBe(1));
  await vi.advanceTimersByTimeAsync(120_000);
  stage.open('gate');
  await eventually(() => expect(heard.ending).toMatchObject({ kind: 'returned' }));
  expect(second.journal.size).toBe(1);
  await vi.advanceTimersByTimeAsync(62_000);
  await eventually(() => expect(second.journal.size).toBe(0));
});

test('J3: when its process ends, an idempotent call runs once more in another, and an external one never', async () => {
  const { start, stage, given } = begin();
  const { hear, crash, call } = await start();
  const look = hear('Kit.LookLater', { callId: 'look', input: given });
  const mail = hear('Kit.MailLater', { callId: 'mail', input: given });
  const nameless = hear('Kit.MailLater', { input: given });
  await eventually(() => expect(stage.trace).toHaveLength(3));
  crash();
  await eventually(() => expect(mail.ending).toMatchObject({ failure: { code: 'outcome_unknown' } }));
  expect(nameless.ending).toMatchObject({ failure: { code: 'outcome_unknown' } });
  await stage.reached('ran look 2');
  stage.open('gate');
  await eventually(() => expect(look.ending).toMatchObject({ kind: 'returned' }));
  expect(toldValue(await call('Kit.MailLater', { callId: 'mail', input: given }))).toBe('outcome_unknown');
  expect(stage.trace.filter((line) => line.startsWith('ran mail'))).toEqual(['ran mail 1']);
});

test('H5: an idempotent call whose process ends twice fails', async () => {
  const { start, stage, given } = begin();
  const { hear, crash } = await start();
  const heard = hear('Kit.LookLater', { callId: 'a', input: given });
  for (const attempt of [1, 2]) {
    await stage.reached(`ran a ${attempt}`);
    crash();
  }
  await eventually(() => expect(heard.ending).toMatchObject({ failure: { code: 'environment_failed' } }));
  expect(stage.trace).toHaveLength(2);
});

test('J14: no two runs of an idempotent call have the same attempt, also if first its process and then the server ends', async () => {
  const { start, stage, given } = begin();
  const first = await start();
  first.hear('Kit.LookLater', { callId: 'a', input: given });
  await stage.reached('ran a 1');
  first.crash();
  await stage.reached('ran a 2');
  await first.die();
  const second = await start();
  const heard = second.hear('Kit.LookLater', { callId: 'a', input: given });
  await stage.reached('ran a 3');
  second.crash();
  await stage.reached('ran a 4');
  stage.open('gate');
  await eventually(() => expect(heard.ending).toMatchObject({ kind: 'returned' }));
  expect(stage.trace).toHaveLength(4);
});

test('J14: nor if the second run was refused, as it is while no process runs', async () => {
  const { start, stage, given } = begin();
  const { hear, call, crash } = await start();
  const heard = hear('Kit.LookLater', { callId: 'a', input: given });
  await stage.reached('ran a 1');
  crash({ refusing: true });
  await eventually(() => expect(heard.ending).toMatchObject({ kind: 'refused' }));
  stage.open('gate');
  expect(await call('Kit.LookLater', { callId: 'a', input: given })).toMatchObject({ kind: 'returned' });
  expect(stage.trace).toEqual(['ran a 1', 'ran a 3']);
});

test('J14: nor if the disk was full when it was to run again', async () => {
  const journal = new HeldJournal();
  journal.release();
  const { start, stage, given } = begin({ journal });
  const first = await start();
  first.hear('Kit.LookLater', { callId: 'a', input: given });
  await stage.reached('ran a 1');
  const second = await start();
  journal.isFull = true;
  expect(toldValue(await second.call('Kit.LookLater', { callId: 'a', input: given }))).toBe('journal_unavailable');
  journal.isFull = false;
  await eventually(() => expect(second.calls.refusal).toBeUndefined());
  second.hear('Kit.LookLater', { callId: 'a', input: given });
  await eventually(() => expect(stage.trace).toEqual(['ran a 1', 'ran a 3']));
});

test('an idempotent call that nobody wants any more while its second run waits for the disk is not run again', async () => {
  const held = new HeldJournal();
  const { start, stage, given } = begin({ journal: held });
  const { hear, crash, toolbox } = await start();
  const untilWriting = () => eventually(() => expect(held.waiting).toHaveLength(1));
  hear('Kit.LookLater', { callId: 'a', input: given });
  await untilWriting();
  held.release();
  await stage.reached('ran a 1');
  crash();
  await untilWriting();
  await toolbox.drain();
  held.release();
  // How it ended.
  await untilWriting();
  held.release();
  expect(stage.trace).toEqual(['ran a 1']);
});

/** A journal on a disk that is slow, or full. */
class HeldJournal extends MemoryJournal<ToolCallRecord> {
  isFull = false;
  waiting: (() => void)[] = [];
  #isHeld = true;

  override async append(key: string, record: ToolCallRecord, lastSeq: number): Promise<number> {
    await this.#pass();
    return super.append(key, record, lastSeq);
  }

  override async replace(key: string, record: ToolCallRecord | undefined): Promise<void> {
    await this.#pass();
    await super.replace(key, record);
  }

  /** Lets those go on that wait; without any, all that come. */
  release(): void {
    if (this.waiting.length === 0) this.#isHeld = false;
    for (const go of this.waiting.splice(0)) go();
  }

  async #pass(): Promise<void> {
    if (this.isFull) throw new JournalFull('no room');
    if (this.#isHeld) await new Promise<void>((resolve) => void this.waiting.push(resolve));
  }
}

function filesOf(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('');
}
