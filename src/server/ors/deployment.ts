import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { DEPLOYMENT_HEADER } from '../../protocol/index.ts';
import type { OrsService } from './service.ts';

/**
 * The environment that a request names in X-Deployment, as `owner/name` or `name`; undefined if this server has none of that
 * name. Trainers built on the official SDK name it nowhere else.
 */
export function deployedEnvironment({ host }: OrsService, headers: IncomingHttpHeaders): string | undefined {
  const deployment = headers[DEPLOYMENT_HEADER];
  if (typeof deployment !== 'string') return undefined;
  const wanted = deployment
    .slice(deployment.lastIndexOf('/') + 1)
    .trim()
    .toLowerCase();
  return host.manifest.environments.find(({ name }) => name === wanted)?.name;
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
