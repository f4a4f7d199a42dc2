import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

/** Tells the benchmark where the server listens, and afterwards what it asks about the process. */
export function announce(port: number): void {
  const inspector = new Session();
  const answers: Record<string, () => unknown> = {
    cpu() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000 + childrenCpuMs();
    },
    liveBytes() {
      // Twice: what the first frees may have held something else.
      globalThis.gc?.();
      globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
    held() {
      const resources: Record<string, number> = {};
      for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
      // Without the one that reading this folder takes.
      return { descriptors: readdirSync('/proc/self/fd').length - 1, resources };
    },
    async startProfile() {
      inspector.connect();
      await inspector.post('Profiler.enable');
      await inspector.post('Profiler.start');
    },
    async stopProfile() {
      const { profile } = await inspector.post('Profiler.stop');
      return profile;
    },
  };
  process.on('message', async (question: string) => {
    process.send?.({ answer: await answers[question]?.() });
  });
  process.on('SIGINT', () => process.exit(0));
  // Who started it was killed: nobody else would end it.
  process.once('disconnect', () => process.exit(1));
  process.send?.({ port });
}

/** Processor time of the processes that this one has started, such as workers. */
function childrenCpuMs(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  // The 14th and 15th field, in hundredths of a second; the name before them may have blanks.
  const ticks = children.flatMap(
    (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? [],
  );
  return ticks.reduce((sum, each) => sum + Number(each), 0) * 10;
}
