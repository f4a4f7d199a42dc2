import { CALL_OUTCOMES } from '../../core/index.ts';
import type { Numbers, ToolNumbers } from './numbers.ts';
import { type Published, publishCounter, publishGauge, publishHistogram } from './publish.ts';

/** How calls ended, how long they took, and which of them wait or run. */
export function callMetrics(numbers: Numbers): Published {
  return {
    publish(registry) {
      publishCounter(registry, {
        name: 'tiltyard_calls_total',
        help: 'Calls that have ended, by outcome. Tools of toolkits have no environment. Calls over MCP have that as their protocol.',
        labelNames: ['environment', 'tool', 'outcome', 'protocol'],
        *read() {
          for (const [labels, { ended, endedByMcp }] of eachTool(numbers))
            for (const outcome of CALL_OUTCOMES) {
              if (ended[outcome] > 0) yield [{ ...labels, outcome }, ended[outcome]];
              if (endedByMcp[outcome] > 0) yield [{ ...labels, outcome, protocol: 'mcp' }, endedByMcp[outcome]];
            }
        },
      });
      publishHistogram(registry, {
        name: 'tiltyard_call_duration_seconds',
        help: 'How long calls took from their arrival, waiting for setup and for their turn included.',
        read: () => Array.from(eachTool(numbers), ([labels, { durations }]) => [labels, durations]),
      });
      publishGauge(registry, {
        name: 'tiltyard_calls_waiting',
        help: 'Calls waiting for setup or for their turn.',
        read: () => numbers.waitingCalls,
      });
      const labelNames = ['environment', 'tool'];
      publishGauge(registry, {
        name: 'tiltyard_calls_running',
        help: 'Calls whose tool was started and has not ended.',
        labelNames,
        read: () => runningByTool(numbers).map(([labels, { count }]) => [labels, count]),
      });
      publishGauge(registry, {
        name: 'tiltyard_call_oldest_seconds',
        help: 'How long the oldest running call of a tool has been running; 0 where none runs.',
        labelNames,
        read: () => runningByTool(numbers).map(([labels, { oldestMs }]) => [labels, oldestMs / 1000]),
      });
    },
  };
}

interface ToolLabels extends Readonly<Record<string, string>> {
  readonly environment: string;
  readonly tool: string;
}

interface Running {
  readonly count: number;
  /** How long ago the oldest one began. */
  readonly oldestMs: number;
}

const NONE_RUNNING: Running = { count: 0, oldestMs: 0 };

/** Of each tool that was ever called, what runs of it. */
function runningByTool(numbers: Numbers): (readonly [labels: ToolLabels, running: Running])[] {
  const found = new Map<ToolNumbers, Running>();
  const now = performance.timeOrigin + performance.now();
  for (const { call, at } of numbers.running) {
    const tool = numbers.tool(call);
    const { count, oldestMs } = found.get(tool) ?? NONE_RUNNING;
    found.set(tool, { count: count + 1, oldestMs: Math.max(oldestMs, now - at) });
  }
  return Array.from(eachTool(numbers), ([labels, tool]) => [labels, found.get(tool) ?? NONE_RUNNING]);
}

function* eachTool({ tools: byEnvironment }: Numbers): Generator<readonly [labels: ToolLabels, numbers: ToolNumbers]> {
  for (const [environment, tools] of byEnvironment)
    for (const [tool, numbers] of tools) yield [{ environment, tool }, numbers];
}
