import { expect, onTestFinished, test, vi } from 'vitest';
import { HeardCall } from '../../../test/support/host.ts';
import { DEFAULT_LIMITS, type Limits, silent, toolkit, toolkitCatalog } from '../../core/index.ts';
import { unobserved } from '../events.ts';
import { KeptResults } from '../kept/kept-results.ts';
import { LocalToolRuntime } from './local-tool-runtime.ts';
import type { ToolRequest } from './tool-host.ts';
import { Toolbox } from './toolbox.ts';

const kit = toolkit({ name: 'Kit', tools: { Pay: { run: () => 'paid' } } });
const catalog = toolkitCatalog([kit], { lenient: false, limits: DEFAULT_LIMITS });

const REQUEST: Omit<ToolRequest, 'identity' | 'callId'> = {
  toolId: 'Kit.Pay',
  input: {},
  context: undefined,
  traceId: undefined,
  scopes: undefined,
};

/** A toolbox with these limits. */
function toolboxWith(changes: Partial<Limits> = {}): Toolbox {
  const limits = { ...DEFAULT_LIMITS, ...changes };
  const { graceMs } = limits;
  const runtime = new LocalToolRuntime(catalog, { graceMs, log: silent, observer: unobserved });
  const toolbox = new Toolbox(runtime, { limits, log: silent, observer: unobserved });
  onTestFinished(() => toolbox.drain());
  return toolbox;
}

/** A toolbox that keeps few results: a page or two of small ones. */
function forgetful() {
  const toolbox = toolboxWith({ maxKeptBytes: 0 });
  return {
    /** What becomes of a call: what it returned, or the code of its failure. */
    async call(identity: string, callId: string): Promise<string> {
      const heard = new HeardCall();
      toolbox.call({ ...REQUEST, identity, callId }, (event) => void heard.events.push(event));
      // One whose id is taken has its input checked first, which takes a turn.
      const { ending } = heard.ending === undefined ? await vi.waitUntil(() => heard.ending && heard) : heard;
      return ending?.kind === 'returned' ? ending.json : String(ending?.failure.code);
    },
    callMany(identity: string, count: number): void {
      const on = () => {};
      for (let number = 0; number < count; number += 1)
        toolbox.call({ ...REQUEST, identity, callId: `call-${number}` }, on);
    },
  };
}

test('OXP I2: however much others call, an id does not run twice', async () => {
  const { call, callMany } = forgetful();
  expect(await call('anna', 'order-7')).toBe('"paid"');
  expect(await call('anna', 'order-7')).toBe('"paid"');
  callMany('bert', 20_000);
  expect(await call('anna', 'order-7')).toBe('result_not_kept');
});

test('OXP I2: an id does not run twice either when its own caller has made many calls since', async () => {
  const { call, callMany } = forgetful();
  callMany('', 20_000);
  expect(await call('', 'call-0')).toBe('result_not_kept');
  expect(await call('', 'call-19999')).toBe('"paid"');
});

test('results whose time is over are freed also if nobody asks for them, until the toolbox closes', async () => {
  vi.useFakeTimers();
  const sweep = vi.spyOn(KeptResults.prototype, 'sweep');
  onTestFinished(() => {
    sweep.mockRestore();
    vi.useRealTimers();
  });
  const toolbox = toolboxWith();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sweep).toHaveBeenCalledTimes(2);
  await toolbox.drain();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sweep).toHaveBeenCalledTimes(2);
});
