import type { StudioInfo } from '../../src/studio/api.ts';
import { ask } from '../data/ask.ts';
import { site } from '../data/site.ts';
import { to } from './route.ts';

let entering: Promise<StudioInfo> | undefined;

/**
 * Comes in, once: gives the token of the address for a cookie, takes it out of the address, and asks what the studio is. To be asked for
 * before anything else, because the address may change. Who asks again gets the same, or another try if that failed.
 */
export function enter(): Promise<StudioInfo> {
  if (entering === undefined) {
    entering = comeIn();
    entering.catch(() => {
      entering = undefined;
    });
  }
  return entering;
}

/** Comes in anew when somebody pastes the address of another start into this page, of which the browser changes only what is after `#`. */
export function enterAgainWhenAsked(): void {
  addEventListener('hashchange', () => {
    if (readToken() !== null) location.reload();
  });
}

async function comeIn(): Promise<StudioInfo> {
  if (site !== undefined)
    return { version: site.version, opened: 'runs', targets: [], runs: site.runs.length, records: 0 };
  const token = readToken();
  if (token === null) return ask('GET /api/studio');
  const open = readAddress().get('open') ?? '';
  // At once, so that it is in no history and on no screen.
  history.replaceState(null, '', `#/${open.replace(/^[#/]*/, '')}`);
  return ask('POST /api/enter', { body: { token } });
}

function readToken(): string | null {
  return readAddress().get('token');
}

function readAddress(): URLSearchParams {
  return new URLSearchParams(location.hash.replace(/^#/, ''));
}

/** The address of the page to open first. */
export function firstPage(info: StudioInfo): string {
  const pages = { targets: 'environments', runs: 'runs', records: 'records', jobs: 'checks' };
  return to([pages[info.opened]]);
}
