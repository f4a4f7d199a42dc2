import type { McpFace, RunningCall } from './face.ts';

/**
 * Runs a call once for an id that its client chose: a repeat gets the result of the first, as it does by default over ORS. For faces of
 * one episode that are not at a server, which would see to it by itself.
 */
export function runOnce(call: McpFace['call']): McpFace['call'] {
  const known = new Map<string, RunningCall>();
  return (asked) => {
    const { callId } = asked;
    if (callId === undefined) return call(asked);
    const running = known.get(callId) ?? call(asked);
    known.set(callId, running);
    return running;
  };
}
