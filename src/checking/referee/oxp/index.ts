import type { Probe } from '../probe.ts';
import { type Protocol, protocol } from '../protocol.ts';
import { Recorder } from '../recorder.ts';
import { endpointProbes } from './endpoints.ts';
import { errorProbes } from './errors.ts';
import { idempotencyProbes } from './idempotency.ts';
import { protocolVersionProbes } from './protocol-version.ts';
import { securityProbes } from './security.ts';
import { detectOxp, type OxpSubject, oxpSubject } from './subject.ts';
import { toolIdProbes } from './tool-ids.ts';

export { detectOxp, oxpSubject } from './subject.ts';

/** All that can be seen of a server of tools from outside, in the order in which it is looked at. */
export const oxpProbes: readonly Probe<OxpSubject>[] = [
  ...endpointProbes,
  ...protocolVersionProbes,
  ...toolIdProbes,
  ...errorProbes,
  ...idempotencyProbes,
  ...securityProbes,
];

/** Requirements that no probe looks at, and why. */
export const OXP_EXCUSED: Readonly<Record<string, string>> = {
  E6: 'the time limit of a tool is its own, and no caller knows a tool that exceeds it',
  E7: 'the limits of a server are its own; to find them it would have to be flooded',
  I3: 'where a trace_id arrives is seen only inside the server',
  I4: 'whether a call goes on without its caller is seen only inside the tool',
  S6: 'which tools are hidden from a caller is not shown to the caller',
};

/** The Open eXecution Protocol: known by its list of tools. */
export const oxpProtocol: Protocol = protocol<OxpSubject>({
  name: 'oxp',
  probes: oxpProbes,
  async detect(http) {
    // A server that lists nothing without a key can only be asked for one.
    return (await detectOxp(http)) && http.exchanges.at(-1)?.answer?.status === 200;
  },
  open: ({ http, schemas }) => oxpSubject(new Recorder(http), schemas, http.headers),
});
