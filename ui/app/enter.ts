import type { StudioInfo } from '../../src/studio/api.ts';
import { ask } from '../data/ask.ts';
import { site } from '../data/site.ts';
import { to } from './route.ts';

/** Comes in: gives the token of the address for a cookie, takes it out of the address, and asks what the studio is. */
export async function enter(): Promise<StudioInfo> {
  if (site !== undefined)
    return { version: site.version, opened: 'runs', targets: [], runs: site.runs.length, records: 0 };
  const given = new URLSearchParams(location.hash.replace(/^#/, ''));
  const token = given.get('token');
  if (token === null) return ask('GET /api/studio');
  // At once, so that it is in no history and on no screen.
  const open = given.get('open') ?? '';
  history.replaceState(null, '', `#/${open.replace(/^[#/]*/, '')}`);
  return ask('POST /api/enter', { body: { token } });
}

/** The address of the page to open first. */
export function firstPage(info: StudioInfo): string {
  const pages = { targets: 'environments', runs: 'runs', records: 'records', jobs: 'checks' };
  return to([pages[info.opened]]);
}
