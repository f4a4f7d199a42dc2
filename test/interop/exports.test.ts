import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXPORT_FORMATS, type ExportFormat, exportRun, rollouts } from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import { questions, serveQuiz, solve } from '../rollouts/quiz.ts';
import { startFakeModel } from '../support/model/fake-model.ts';
import { type FakeWire, WIRES } from '../support/model/script.ts';
import { runFolder } from '../support/runs.ts';
import { describeWithTrainers } from './python.ts';
import { runPython, runTrainer } from './trainers.ts';

// The second task is solved at once; in the first, the model looks at a picture, is refused, and is wrong.
const SOLVED = [['submit', { answer: '1' }]];
const FAILED = [
  ['look', {}],
  ['refuse', {}],
  ['submit', { answer: 'none' }],
];
const EPISODES = [
  { index: 0, repeat: 0, reward: 0, calls: FAILED },
  { index: 0, repeat: 1, reward: 0, calls: FAILED },
  { index: 1, repeat: 0, reward: 1, calls: SOLVED },
  { index: 1, repeat: 1, reward: 1, calls: SOLVED },
];

describeWithTrainers('exports of runs, opened with what they are for', () => {
  test('Q15: harbor 0.25.0, Inspect 0.3.285, pyarrow, pandas, datasets and openai read all of a run', async () => {
    const runs = await Promise.all(WIRES.map(async (wire) => exportAll(await playWithModel(wire))));
    const seen = await runTrainer('read_exports.py', { url: '' }, await Promise.all(runs.map(withTrajectories)));
    expect(seen).toHaveLength(WIRES.length);
    for (const { atif, inspect, parquet, huggingface, openai } of seen) {
      expect(atif).toEqual([]);
      expect(inspect).toMatchObject({ status: 'success', mean: 0.5 });
      expect(inspect.samples.sort(byPlace)).toMatchObject(
        EPISODES.map(({ index, repeat, ...episode }) => ({ id: index, epoch: repeat + 1, ...episode })),
      );
      expect(inspect.frame.sort()).toEqual([0, 0, 1, 1]);
      expect(parquet.mean).toBe(0.5);
      expect(parquet.rows.sort(byPlace)).toMatchObject(
        EPISODES.map(({ calls, ...episode }) => ({
          ...episode,
          steps: calls.length,
          messages: 1 + calls.length * 2 - (calls === FAILED ? 1 : 0),
        })),
      );
      expect(huggingface.rewards.sort()).toEqual([0, 0, 1, 1]);
      const turns = ['user', 'assistant', 'tool', 'tool', 'user', 'assistant', 'tool'];
      expect(openai.sort((one: string[], other: string[]) => other.length - one.length)).toEqual([
        ...[turns, turns],
        ...[turns.slice(-3), turns.slice(-3)],
      ]);
    }
  });

  test("Q15: harbor's validator passes runs without a model, and fails what has an unknown key", async () => {
    const out = runFolder();
    await rollouts({ target: await serveQuiz(questions(1)), out, agent: { solve } });
    const [file = ''] = await trajectoriesIn((await exportAll(out)).atif);
    const validate = () => runPython(['-m', 'harbor.utils.trajectory_validator', file], { url: '' });
    const passed = await validate();
    expect(passed.code, passed.stdout + passed.stderr).toBe(0);
    const trajectory = JSON.parse(await readFile(file, 'utf8'));
    expect(trajectory.steps.at(-1)).toMatchObject({ source: 'agent', llm_call_count: 0 });
    await writeFile(file, JSON.stringify({ ...trajectory, reward: 1 }));
    const failed = await validate();
    expect(failed.code).toBe(1);
    expect(failed.stdout + failed.stderr).toContain('reward');
  });
});

/** Plays two tasks twice each. */
async function playWithModel(wire: FakeWire): Promise<string> {
  const target = await serveQuiz(questions(2));
  const model = await startFakeModel(({ body, turn }) => {
    const isFirst = JSON.stringify(body).includes('number 0?');
    if (turn === 0 && isFirst) return { text: 'Let me look.', calls: [{ name: 'look' }, { name: 'refuse' }] };
    return { calls: [{ name: 'submit', input: { answer: isFirst ? 'none' : '1' } }] };
  });
  const out = runFolder();
  await rollouts({ target, out, model: model.name(wire), k: 2 });
  return out;
}

type Exports = Record<ExportFormat, string>;

/** All exports of a run: where each is. */
async function exportAll(run: string): Promise<Exports> {
  const paths = EXPORT_FORMATS.map((format) => {
    // Inspect reads a log of any name, but its tables and its viewer only those that begin with a time.
    const name = format === 'inspect' ? '2026-11-17T00-00-00_run.json' : `run.${format}`;
    return [format, join(run, '..', name)] as const;
  });
  for (const [format, out] of paths) await exportRun(run, { format, out });
  return Object.fromEntries(paths) as Exports;
}

async function withTrajectories({ atif, ...files }: Exports): Promise<object> {
  return { ...files, atif: await trajectoriesIn(atif) };
}

async function trajectoriesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
}

interface Place {
  readonly id?: number;
  readonly index?: number;
  readonly epoch?: number;
  readonly repeat?: number;
}

function byPlace(one: Place, other: Place): number {
  const place = ({ id, index = id, epoch, repeat = epoch }: Place) => (index ?? 0) * 10 + (repeat ?? 0);
  return place(one) - place(other);
}
