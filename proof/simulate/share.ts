import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { proveSimulation, type Simulation, type SimulationOptions } from './prove.ts';

type Message = { readonly done: number } | { readonly simulation: Simulation };

/** Shares schedules among several processes: one simulation uses one core. */
export async function shareSimulation(options: SimulationOptions, processes: number): Promise<Simulation> {
  if (processes === 1) return proveSimulation(options);
  const { seed, schedules, onProgress } = options;
  const share = Math.ceil(schedules / processes);
  const done = new Array<number>(processes).fill(0);
  const parts = await Promise.all(
    done.map((_done, index) => {
      const begin = index * share;
      return play(seed + begin, Math.max(0, Math.min(share, schedules - begin)), (count) => {
        done[index] = count;
        onProgress?.(done.reduce((sum, each) => sum + each));
      });
    }),
  );
  return parts.reduce(add);
}

function play(seed: number, schedules: number, onProgress: (done: number) => void): Promise<Simulation> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('./part.ts', import.meta.url)), [`${seed}`, `${schedules}`], {
      serialization: 'advanced',
    });
    child.on('message', (message: Message) => {
      if ('done' in message) onProgress(message.done);
      else resolve(message.simulation);
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`a process of the simulation ended with ${code}`)));
  });
}

function add(one: Simulation, other: Simulation): Simulation {
  const faults = new Map(one.faults);
  for (const [kind, count] of other.faults) faults.set(kind, (faults.get(kind) ?? 0) + count);
  return {
    schedules: one.schedules + other.schedules,
    failures: [...one.failures, ...other.failures],
    events: one.events + other.events,
    hours: one.hours + other.hours,
    episodes: one.episodes + other.episodes,
    cpuMs: one.cpuMs + other.cpuMs,
    faults,
  };
}
