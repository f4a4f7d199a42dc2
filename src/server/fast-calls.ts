import type { FastPath } from './http/fast-path.ts';
import type { RequestCounts } from './observe/request-counts.ts';
import { fastCall as fastOrsCall, CALL_ROUTE as ORS_CALL } from './ors/call.ts';
import { fastCall as fastOxpCall, CALL_ROUTE as OXP_CALL } from './oxp/call.ts';
import type { ServedProtocols } from './protocols.ts';

/** Lets calls take the fast path, over all protocols that have one. */
export function addFastCalls(fastPath: FastPath, { ors, oxp }: ServedProtocols, counts: RequestCounts): void {
  for (const { name } of ors?.host.manifest.environments ?? [])
    if (ors !== undefined) fastPath.add(`/${name}/call`, fastOrsCall(ors, name, counts.of(ORS_CALL)));
  if (oxp !== undefined) fastPath.add(OXP_CALL, fastOxpCall(oxp, counts.of(OXP_CALL)));
}
