import { onTestFinished } from 'vitest';
import { type CuttingProxy, type Passed, startCuttingProxy } from '../support/cutting-proxy.ts';

/** A proxy in front of a server, and where it is. */
export interface CutServer {
  readonly url: string;
  readonly proxy: CuttingProxy;
}

/** Puts a proxy in front of a server until the test ends. */
export async function cutServer(url: string, cutWhen: (passed: Passed) => number | undefined): Promise<CutServer> {
  const proxy = await startCuttingProxy(Number(new URL(url).port), { cutWhen: once(cutWhen) });
  onTestFinished(() => proxy.close());
  return { url: `http://127.0.0.1:${proxy.port}`, proxy };
}

/** Right after the server has named the call: what runs then has to be found again. */
export function afterTaskId({ response }: Passed): number | undefined {
  // A session's id comes as such an event, too, but it has dashes.
  const named = /event: ?task_id\r?\ndata: ?[0-9a-f]{32}\r?\n\r?\n/.exec(response.toString('latin1'));
  return named === null ? undefined : named.index + named[0].length;
}

/** When the server answers a call, before a byte of the answer has passed. */
export function beforeTaskId({ request }: Passed): number | undefined {
  return request.includes('POST /math/call ') ? 0 : undefined;
}

/** The same for a call over OXP. */
export function beforeOxpAnswer({ request }: Passed): number | undefined {
  return request.includes('POST /tools/call ') ? 0 : undefined;
}

/** Somewhere inside a long answer. */
export function insideTheResult({ response }: Passed): number | undefined {
  const bytes = 200_000;
  return response.length > bytes ? bytes : undefined;
}

function once(cutWhen: (passed: Passed) => number | undefined): (passed: Passed) => number | undefined {
  let isCut = false;
  return (passed) => {
    const at = isCut ? undefined : cutWhen(passed);
    isCut ||= at !== undefined;
    return at;
  };
}
