import { parsed } from '../json.ts';
import type { Probe } from '../probe.ts';
import { type Protocol, protocol } from '../protocol.ts';
import { callProbes } from './calls.ts';
import { discoveryProbes } from './discovery.ts';
import { httpProbes } from './http.ts';
import { inputProbes } from './inputs.ts';
import { readProbes } from './reads.ts';
import { reconnectProbes } from './reconnects.ts';
import { redirectProbes } from './redirects.ts';
import { refusalProbes } from './refusals.ts';
import { sessionEndProbes } from './session-end.ts';
import { sessionIdProbes } from './session-ids.ts';
import { sessionProbes } from './sessions.ts';
import { streamProbes } from './streams.ts';
import { findSubject, type OrsSubject } from './subject.ts';
import { taskProbes } from './tasks.ts';

export { UNTESTED } from './untested.ts';

/** All probes of the Open Reward Standard, in the order in which they run. */
export const orsProbes: readonly Probe<OrsSubject>[] = [
  ...httpProbes,
  ...discoveryProbes,
  ...taskProbes,
  ...redirectProbes,
  ...sessionIdProbes,
  ...sessionProbes,
  ...sessionEndProbes,
  ...readProbes,
  ...refusalProbes,
  ...callProbes,
  ...inputProbes,
  ...streamProbes,
  ...reconnectProbes,
];

// Bare paths that a server of both protocols gives to OXP.
const OXP_PATHS = ['/tools', '/call'];

/** The Open Reward Standard: known by its list of environments. */
export const orsProtocol: Protocol = protocol<OrsSubject>({
  name: 'ors',
  probes: orsProbes,
  async detect(http) {
    const { status, text } = await http.ask({ method: 'GET', path: '/list_environments' });
    // Whether it is the right JSON is for a probe to say.
    return status === 200 && parsed(text) !== undefined;
  },
  open: ({ http, schemas, setupMs, secrets, spoken }) =>
    findSubject({ http, schemas, setupMs, secrets, taken: spoken.includes('oxp') ? OXP_PATHS : [] }),
  close: ({ sessions }) => sessions.closeAll(),
});
