import { SessionTerminated } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { eventually, quickClient, rejection } from '../support/client.ts';
import { folderWith } from '../support/command.ts';
import { startServer } from '../support/http.ts';
import { type Ended, runToEnd } from '../support/program.ts';

/** Runs a program in which these lines stand in an `await using` block, as its author would. */
async function runProgram(lines: string): Promise<Ended> {
  const { url } = await startServer();
  const program = `
    import { connect } from 'tiltyard/client';
    async function play() {
      await using session = await connect('${url}', { environment: 'math' }).session({ split: 'train', index: 0 });
      await session.prompt();
      ${lines}
    }
    await play();
    console.log('the program goes on');
  `;
  const folder = await folderWith({ 'program.mts': program });
  return runToEnd(folder, process.execPath, ['--import', 'tsx', 'program.mts']);
}

test('a call that nobody awaits does not end the program whose session is closed', async () => {
  const lines = `session.call('slow', { ms: 10_000 }); session.prompt(); session.tools();`;
  expect(await runProgram(lines)).toEqual({ code: 0, text: 'the program goes on\n' });
});

test('one that failed by itself still does', async () => {
  const { code, text } = await runProgram(`session.call('nope'); await session.call('slow', { ms: 100 });`);
  expect(text).toContain(`ToolCallError: 'nope' is not a valid tool`);
  expect(code).toBe(1);
});

test('one that is awaited after all hears of the end, and which call it was', async () => {
  const server = await startServer();
  const session = await quickClient(server).session({ split: 'train', index: 0 });
  const call = session.call('slow', { ms: 10_000 });
  await eventually(() => expect(server.counters.runs.slow).toBe(1));
  await session.close();
  const error = await rejection(call);
  expect(error).toBeInstanceOf(SessionTerminated);
  expect(error).toMatchObject({
    message: "the session was closed before the call of 'slow' had ended: await it first",
    sid: session.sid,
    outcome: undefined,
  });
});
