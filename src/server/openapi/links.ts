import type { JsonObject } from '../../protocol/index.ts';

// Where a client that has this answer finds the session.
const ANSWERED = { 'header.X-Session-ID': '$response.body#/sid' };
const ASKED = { 'header.X-Session-ID': '$request.header.X-Session-ID' };

/** What can follow /create_session. */
export const AFTER_ID: JsonObject = links({ create: ANSWERED });

/** What can follow /create. */
export const AFTER_CREATE: JsonObject = links({
  prompt: ANSWERED,
  taskTools: ANSWERED,
  call: ANSWERED,
  ping: ANSWERED,
  delete: ANSWERED,
});

/** What can follow a call. */
export const AFTER_CALL: JsonObject = links({
  call: { ...ASKED, 'path.env': '$request.path.env' },
  delete: ASKED,
});

/** Operations by their ids, each with where its parameters come from. */
function links(parameters: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(
    Object.entries(parameters).map(([operationId, from]) => [operationId, { operationId, parameters: from }]),
  );
}
