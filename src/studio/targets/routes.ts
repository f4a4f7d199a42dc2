import type { Handlers } from '../http/routes.ts';
import type { LiveFeeds } from '../live/live-feeds.ts';
import { readEnvironment, readTasks, readToolkits } from './discovery.ts';
import type { Targets } from './targets.ts';

const TIMEOUT_MS = 30_000;

/** Servers, what they offer, and what happens on them. */
export function targetRoutes(targets: Targets, feeds: LiveFeeds): Handlers {
  return {
    'GET /api/targets': () => targets.list(),
    'POST /api/targets': async ({ body }) => {
      const apiKey = body.optionalText('apiKey');
      const link = targets.addByUrl({ url: body.text('url'), ...(apiKey === undefined ? {} : { apiKey }) });
      await link.look();
      return link.toJSON();
    },
    'DELETE /api/targets/:target': ({ param }) => {
      targets.remove(param('target'));
      return { done: true };
    },
    'POST /api/targets/:target/look': async ({ param }) => {
      const link = targets.get(param('target'));
      await link.look();
      return link.toJSON();
    },
    'GET /api/targets/:target/environments': ({ param }) =>
      targets.get(param('target')).ors.environments({ timeoutMs: TIMEOUT_MS }),
    'GET /api/targets/:target/environments/:environment': ({ param }) =>
      readEnvironment(targets.get(param('target')), param('environment')),
    'GET /api/targets/:target/environments/:environment/tasks': ({ param, query }) =>
      readTasks(targets.get(param('target')), param('environment'), {
        split: query.text('split'),
        start: query.optionalCount('start'),
        stop: query.optionalCount('stop'),
      }),
    'GET /api/targets/:target/toolkits': ({ param }) => readToolkits(targets.get(param('target'))),
    'GET /api/targets/:target/live': ({ param }) => feeds.of(targets.get(param('target'))).toJSON(),
  };
}
