import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { cutText } from '../../core/index.ts';
import { DEPLOYMENT_HEADER } from '../../protocol/index.ts';
import type { OrsService } from './service.ts';

/**
 * The environment that a request names in X-Deployment, as `owner/name` or `name`; undefined if this server has none of that
 * name. Trainers built on the official SDK name it nowhere else.
 */
function deployedEnvironment({ host }: OrsService, headers: IncomingHttpHeaders): string | undefined {
  const deployment = headers[DEPLOYMENT_HEADER];
  if (typeof deployment !== 'string') return undefined;
  const wanted = deployment
    .slice(deployment.lastIndexOf('/') + 1)
    .trim()
    .toLowerCase();
  return host.manifest.environments.find(({ name }) => name === wanted)?.name;
}

// Clients choose the names: nobody may fill the log, or the memory, with them.
const MOST_WARNINGS = 100;

/** The environment that a request means which names none but in X-Deployment; the first if that is of no use. */
export function meantEnvironment(service: OrsService, headers: IncomingHttpHeaders): string {
  const meant = deployedEnvironment(service, headers);
  if (meant !== undefined) return meant;
  const used = service.environment().name;
  const asked = headers[DEPLOYMENT_HEADER];
  const { strangeDeployments: told, host, log } = service;
  // Where there is only one environment, clients may call it what they like.
  const isNews = typeof asked === 'string' && asked !== '' && !told.has(asked) && told.size < MOST_WARNINGS;
  if (isNews && host.manifest.environments.length > 1) {
    told.add(asked);
    log.warn(
      { asked: cutText(asked, 200), used },
      `X-Deployment '${cutText(asked, 200)}' names none of the environments: '${used}' is used`,
    );
  }
  return used;
}

/** Registers what the official SDK asks the platform for before it begins a session: which secrets that takes. */
export function registerRequiredSecrets(app: FastifyInstance, service: OrsService): void {
  app.get<{ Params: { name: string } }>(
    '/v1/environments/:owner/:name/required-secrets',
    service.docs.requiredSecrets,
    async ({ params }) => {
      const { requiredSecrets: secrets } = service.environment(params.name);
      await service.streams.batch.end();
      return { secrets };
    },
  );
}

/** Sends who asks for the tools of an environment there, on a server where /tools itself is OXP's. */
export function redirectTools(app: FastifyInstance, service: OrsService): void {
  // After the credentials have been looked at.
  app.addHook('preHandler', async ({ routeOptions, headers }, reply) => {
    const environment = routeOptions.url === '/tools' ? deployedEnvironment(service, headers) : undefined;
    if (environment !== undefined) return reply.redirect(`/${encodeURIComponent(environment)}/tools`, 308);
  });
}
