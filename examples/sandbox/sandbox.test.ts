import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { play } from 'tiltyard/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sandbox } from './environment.ts';
import type { Problem } from './problem.ts';
import { problems } from './problems.ts';
import { lifeline } from './test-support/lifeline.ts';
import { solutions } from './test-support/solutions.ts';
import { ownTemporaryDirectory } from './test-support/temporary.ts';
import { createWorkspace } from './workspace.ts';

const temporary = ownTemporaryDirectory();
afterEach(() => vi.useRealTimers());

const roman = { split: 'train', index: 0 };

describe('an episode', () => {
  test.each(Object.entries(solutions))('a right solution of %s passes all hidden tests', async (problem, content) => {
    await using episode = await play(sandbox, { task: { problem } });
    await episode.call('write_file', { path: 'solution.mjs', content });
    expect(await episode.call('submit')).toMatchObject({ reward: 1, finished: true });
  });

  test('the reward is the fraction of the tests that pass', async () => {
    await using episode = await play(sandbox, roman);
    await episode.call('write_file', { path: 'solution.mjs', content: 'export const fromRoman = (n) => n.length;' });
    expect(await episode.call('submit')).toMatchObject({
      text: '2 of 9 hidden tests passed.',
      reward: 2 / 9,
      finished: true,
      metadata: { passed: 2, total: 9 },
    });
    await expect(episode.call('bash', { command: 'ls' })).rejects.toThrow('The episode is finished');
  });

  test('without a solution there is nothing to submit, and the episode goes on', async () => {
    await using episode = await play(sandbox, roman);
    await expect(episode.call('submit')).rejects.toThrow('there is no solution.mjs to test');
    expect(await episode.call('bash', { command: 'mkdir solution.mjs' })).toMatchObject({ finished: false });
    await expect(episode.call('submit')).rejects.toThrow('there is no solution.mjs to test');
  });

  test.each(['binary-search', 'wrap'])('%s starts with a solution that needs repair', async (problem) => {
    await using episode = await play(sandbox, { task: { problem } });
    expect((await episode.call('read_file', { path: 'solution.mjs' })).text).toContain('export function');
    const { reward } = await episode.call('submit');
    expect(reward).toBeLessThan(1);
  });

  test('every problem is in exactly one split', () => {
    const listed = Object.values(sandbox.splits).flat() as { problem: string }[];
    expect(listed.map(({ problem }) => problem).sort()).toEqual(Object.keys(problems).sort());
  });

  test('neither the task, nor the prompt, nor the directory shows the hidden tests', async () => {
    for (const [problem, { files = {}, tests }] of Object.entries<Problem>(problems)) {
      await using episode = await play(sandbox, { task: { problem } });
      const { text: listed } = await episode.call('bash', { command: 'find . -type f' });
      expect(listed.match(/\.\/\S+/g) ?? []).toEqual(Object.keys(files).map((name) => `./${name}`));
      const shown = [await episode.prompt(), await episode.tools()]
        .flat()
        .map((part) => JSON.stringify(part))
        .join();
      // The shortest arguments, such as "", may well be an example.
      const asked = tests.map(([args]) => JSON.stringify(args).slice(1, -1)).filter(({ length }) => length > 4);
      expect(asked.filter((args) => shown.replaceAll('\\"', '"').includes(args))).toEqual([]);
    }
  });

  test('each has a directory of its own, which goes when it ends, and only then', async () => {
    const one = await play(sandbox, roman);
    const two = await play(sandbox, roman);
    await one.call('write_file', { path: 'deep/er/note.txt', content: 'mine' });
    await expect(two.call('read_file', { path: 'deep/er/note.txt' })).rejects.toThrow('does not exist');
    expect(await readdir(temporary.path)).toHaveLength(2);
    await one.close();
    await one.close();
    expect(await readdir(temporary.path)).toHaveLength(1);
    expect(await two.call('bash', { command: 'pwd' })).toMatchObject({
      text: expect.stringContaining('[exit code 0]'),
    });
    await two.close();
  });

  test('a setup that fails half-way removes its directory', async () => {
    await expect(createWorkspace({ 'no/such/folder': '' })).rejects.toThrow('ENOENT');
  });
});

describe('bash', () => {
  test('shows both outputs and the exit code', async () => {
    await using episode = await play(sandbox, roman);
    expect(await episode.call('bash', { command: 'echo out; echo err >&2; exit 3' })).toMatchObject({
      text: 'out\nerr\n\n[exit code 3]',
      reward: null,
    });
  });

  test('has no input to wait for, and none of the environment of the server', async () => {
    vi.stubEnv('SERVER_API_KEY', 'sk-very-secret');
    await using episode = await play(sandbox, roman);
    const { text: output } = await episode.call('bash', { command: 'cat; env' });
    expect(output).not.toContain('sk-very-secret');
    const names = output.match(/^\w+(?==)/gm) ?? [];
    expect(names.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name)).sort()).toEqual([
      'HOME',
      'LANG',
      'PATH',
      'TMPDIR',
    ]);
  });

  test('cuts a long output and says so', async () => {
    await using episode = await play(sandbox, roman);
    const { text: output } = await episode.call('bash', { command: 'head -c 1000000 /dev/zero | tr "\\0" q' });
    expect(output.match(/q/g)).toHaveLength(16 * 1024);
    expect(output).toMatch(/\[output cut after 16384 bytes\]\n\[exit code 0\]$/);
  });

  test('kills a command with all of its children when its time is up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await using line = await lifeline();
    await using episode = await play(sandbox, roman);
    const call = episode.call('bash', { command: `${line.command}; sleep 60 & sleep 60`, seconds: 30 });
    await line.held();
    vi.advanceTimersByTime(30_000);
    expect(await call).toMatchObject({ text: '[killed after 30 s]' });
    await line.released();
  });

  test('kills what a command left in the background', async () => {
    await using line = await lifeline();
    await using episode = await play(sandbox, roman);
    const command = `${line.command}; sleep 60 & echo done`;
    expect(await episode.call('bash', { command })).toMatchObject({ text: 'done\n\n[exit code 0]' });
    await line.released();
  });

  test('is not held up by a process that left its group and keeps the output open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await using line = await lifeline();
    await using episode = await play(sandbox, roman);
    const call = episode.call('bash', {
      command: `setsid bash -c '${line.command}; exec cat <&3' & wait`,
      seconds: 30,
    });
    await line.held();
    vi.advanceTimersByTime(30_000);
    expect(await call).toMatchObject({ text: '[killed after 30 s]' });
  });

  test('is killed when the episode ends', async () => {
    await using line = await lifeline();
    const episode = await play(sandbox, roman);
    const command = `${line.command}; sleep 60 & sleep 60`;
    const call = expect(episode.call('bash', { command })).rejects.toThrow('was deleted');
    await line.held();
    await episode.close();
    await call;
    await line.released();
  });
});

describe('files', () => {
  test('what was written can be read', async () => {
    await using episode = await play(sandbox, roman);
    for (const content of ['a longer text', 'short', '']) {
      await episode.call('write_file', { path: 'a/b.txt', content });
      expect(await episode.call('read_file', { path: 'a/b.txt' })).toMatchObject({ text: content });
    }
  });

  test('a long file is cut, and the cut is told', async () => {
    await using episode = await play(sandbox, roman);
    await episode.call('write_file', { path: 'long.txt', content: 'x'.repeat(100_000) });
    const { text } = await episode.call('read_file', { path: 'long.txt' });
    expect(text).toMatch(/x\n\[cut: 65536 of 100000 bytes shown\]$/);
  });

  test.each(['/etc/hosts', '../secret', 'a/../../secret', 'a\\..\\b', '..'])('%s leads outside', async (path) => {
    await using episode = await play(sandbox, roman);
    await expect(episode.call('read_file', { path })).rejects.toThrow('outside of the working directory');
    await expect(episode.call('write_file', { path, content: '' })).rejects.toThrow('outside of the working directory');
  });

  test('links that lead outside are not followed, neither to read nor to write', async () => {
    const outside = await mkdtemp(join(temporary.path, 'outside-'));
    try {
      await using episode = await play(sandbox, roman);
      const command = `ln -s '${outside}' folder; ln -s '${outside}/new.txt' dangling; ln -s /etc/hosts file; ln -s loop loop`;
      await episode.call('bash', { command });
      for (const path of ['folder', 'folder/new.txt', 'file'])
        await expect(episode.call('read_file', { path })).rejects.toThrow('outside of the working directory');
      for (const path of ['folder/new.txt', 'folder/deep/new.txt', 'file'])
        await expect(episode.call('write_file', { path, content: 'x' })).rejects.toThrow('outside');
      await expect(episode.call('write_file', { path: 'dangling', content: 'x' })).rejects.toThrow('does not exist');
      await expect(episode.call('write_file', { path: 'loop', content: 'x' })).rejects.toThrow('do not end');
      expect(await readdir(outside)).toEqual([]);
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  test('links within the directory are followed', async () => {
    await using episode = await play(sandbox, roman);
    await episode.call('bash', { command: 'echo hi > real; ln -s real link' });
    expect(await episode.call('read_file', { path: 'link' })).toMatchObject({ text: 'hi\n' });
  });

  test('what is not a file is refused, and nothing waits for it', async () => {
    await using episode = await play(sandbox, roman);
    await episode.call('bash', { command: 'mkfifo pipe; mkdir folder; touch file' });
    await expect(episode.call('read_file', { path: 'pipe' })).rejects.toThrow("'pipe' is not a file");
    await expect(episode.call('write_file', { path: 'pipe', content: '' })).rejects.toThrow("'pipe' is not a file");
    await expect(episode.call('read_file', { path: '.' })).rejects.toThrow("'.' is not a file");
    await expect(episode.call('write_file', { path: 'folder', content: '' })).rejects.toThrow('is a directory');
    await expect(episode.call('write_file', { path: 'file/x', content: '' })).rejects.toThrow('not a directory');
    await expect(episode.call('read_file', { path: 'a\0b' })).rejects.toThrow('is not a path');
  });
});
