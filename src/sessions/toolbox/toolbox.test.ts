import { expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_LIMITS, silent, toolkit, toolkitCatalog } from '../../core/index.ts';
import { Calls } from '../kept/kept-calls.ts';
import { toCallKey } from '../key.ts';
import { unobserved } from '../observer.ts';
import { Toolbox } from './toolbox.ts';

const kit = toolkit({ name: 'Kit', tools: { Pay: { run: () => 'paid' } } });
const catalog = toolkitCatalog([kit], { lenient: false, limits: DEFAULT_LIMITS });

/** A toolbox that keeps the newest result alone. */
function forgetful(): { call(identity: string, callId: string): string } {
  const limits = { ...DEFAULT_LIMITS, maxToolkitKeptBytes: 0 };
  const toolbox = new Toolbox({ limits, log: silent, observer: unobserved });
  onTestFinished(() => toolbox.close());
  const tool = catalog.resolve('Kit.Pay', () => true);
  const given = { secrets: {}, userId: undefined, authorization: {}, traceId: undefined };
  return {
    /** What becomes of a call. */
    call(identity, callId) {
      const repeat = { key: toCallKey(identity, callId), fingerprint: '' };
      const known = toolbox.known(repeat);
      if (known === undefined) toolbox.start({ tool, identity, input: {}, callId, repeat, ...given });
      return known?.kind ?? 'run';
    },
  };
}

test('OXP I2: however much others call, an id does not run twice', () => {
  const { call } = forgetful();
  expect(call('anna', 'order-7')).toBe('run');
  for (let number = 0; number < 210_000; number += 1) call('bert', `call-${number}`);
  expect(call('anna', 'order-7')).toBe('forgotten');
});

test('OXP I2: an id does not run twice either when its own caller has made many calls since', () => {
  const { call } = forgetful();
  for (let number = 0; number < 210_000; number += 1) call('', `call-${number}`);
  expect(call('', 'call-0')).toBe('forgotten');
});

test('results whose time is over are freed also if nobody asks for them, until the toolbox closes', async () => {
  vi.useFakeTimers();
  const sweep = vi.spyOn(Calls.prototype, 'sweep');
  onTestFinished(() => {
    sweep.mockRestore();
    vi.useRealTimers();
  });
  const toolbox = new Toolbox({ limits: DEFAULT_LIMITS, log: silent, observer: unobserved });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sweep).toHaveBeenCalledTimes(2);
  await toolbox.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sweep).toHaveBeenCalledTimes(2);
});
