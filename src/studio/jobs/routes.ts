import type { NewJob } from '../api.ts';
import type { Handlers } from '../http/routes.ts';
import type { Fields } from '../shared/fields.ts';
import type { Targets } from '../targets/targets.ts';
import type { Jobs } from './jobs.ts';

const LEVELS = ['specified', 'interop', 'hardening'] as const;

/** Checks and measurements. */
export function jobRoutes(jobs: Jobs, targets: Targets): Handlers {
  return {
    'GET /api/jobs': () => jobs.list(),
    'POST /api/jobs': ({ body }) => {
      const link = targets.get(body.text('target'));
      return jobs.start(link, toJob(body)).toJSON();
    },
    'GET /api/jobs/:job': ({ param }) => jobs.get(param('job')).toJSON(),
    'POST /api/jobs/:job/cancel': async ({ param }) => {
      const job = jobs.get(param('job'));
      job.cancel();
      return job.toJSON();
    },
  };
}

function toJob(body: Fields): NewJob {
  const target = body.text('target');
  switch (body.oneOf('kind', ['check', 'lint', 'bench'])) {
    case 'check':
      return {
        kind: 'check',
        target,
        ...given({ ...flags(body), only: body.optionalTexts('only'), level: body.optionalOneOf('level', LEVELS) }),
      };
    case 'lint':
      return {
        kind: 'lint',
        target,
        ...given({
          ...flags(body),
          environment: body.optionalText('environment'),
          samples: body.optionalCount('samples', { least: 1, most: 100 }),
          seed: body.optionalCount('seed'),
        }),
      };
    case 'bench':
      return {
        kind: 'bench',
        target,
        ...given({
          seconds: body.optionalCount('seconds', { least: 1, most: 60 }),
          connections: body.optionalCount('connections', { least: 1, most: 256 }),
        }),
      };
  }
}

function flags(body: Fields): { readonly active: boolean | undefined } {
  return { active: body.optionalFlag('active') };
}

type Given<Values> = { [Key in keyof Values]?: Exclude<Values[Key], undefined> };

/** Only what was given. */
function given<Values extends object>(values: Values): Given<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<Values>;
}
