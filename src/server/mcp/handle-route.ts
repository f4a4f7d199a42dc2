import type { FastifyInstance } from 'fastify';
import { toFailureError } from '../../core/index.ts';
import { isAbsent } from '../../sessions/index.ts';
import { readSessionRef } from '../auth/identify.ts';
import { refuseOtherMethods } from '../http/methods.ts';
import type { RouteDocs } from '../openapi/operation.ts';
import type { OrsService } from '../ors/service.ts';
import type { Handles } from './handles.ts';

/** The route that gives a session an address for an agent. */
const HANDLE_ROUTE = '/:env/mcp';

/** Registers it beside the routes of ORS, for orchestrators. */
export function registerHandles(app: FastifyInstance, { host }: OrsService, handles: Handles, docs: RouteDocs): void {
  refuseOtherMethods(app, () => {
    app.post(HANDLE_ROUTE, docs, async (request) => {
      const ref = readSessionRef(request);
      const state = await host.touch(ref);
      if (isAbsent(state)) throw toFailureError(state);
      const handle = handles.seal({ ...ref, seed: state.seed });
      return { path: `/mcp/sessions/${handle}`, token: handle };
    });
  });
}
