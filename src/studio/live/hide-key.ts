import type { Secrets } from '../../core/index.ts';
import type { ServerEvent, WatchedSession } from '../../protocol/index.ts';
import { mask } from '../shared/mask.ts';

/**
 * An event without the key of its server, which may stand in whatever clients and tools say. Ids, numbers and the words of the protocol
 * stay as they are: without them the event could not be read.
 */
export function hideKey(event: ServerEvent, secrets: Secrets): ServerEvent {
  const hide = <Value>(value: Value) => mask(value, secrets);
  const hideSession = (session: WatchedSession): WatchedSession => ({
    ...session,
    environment: hide(session.environment),
    identity: hide(session.identity),
    split: hide(session.split),
    last_tool: hide(session.last_tool),
  });
  switch (event.type) {
    case 'sessions':
      return { ...event, sessions: event.sessions.map(hideSession) };
    case 'session':
      return { ...event, session: hideSession(event.session) };
    case 'call': {
      const { session, call } = event;
      return { ...event, session: session && hideSession(session), call: { ...call, tool: hide(call.tool) } };
    }
    case 'input':
      return { ...event, tool: hide(event.tool), input: hide(event.input) };
    case 'prompt':
      return { ...event, blocks: hide(event.blocks) };
    case 'output': {
      const { blocks, metadata, failure } = event;
      return {
        ...event,
        ...(blocks === undefined ? {} : { blocks: hide(blocks) }),
        ...(metadata === undefined ? {} : { metadata: hide(metadata) }),
        ...(failure === undefined ? {} : { failure: { ...failure, message: hide(failure.message) } }),
      };
    }
    default:
      return event;
  }
}
