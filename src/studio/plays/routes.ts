import type { PlaySubject } from '../api.ts';
import type { Handlers } from '../http/routes.ts';
import { Fields } from '../shared/fields.ts';
import { badRequest } from '../shared/refusal.ts';
import type { Targets } from '../targets/targets.ts';
import { exportPlay } from './export-play.ts';
import type { Plays } from './plays.ts';

/** Playing: sessions, calls, branches, and plays as files. */
export function playRoutes(plays: Plays, targets: Targets): Handlers {
  return {
    'GET /api/plays': () => plays.list(),
    'POST /api/plays': ({ body }) => {
      const secrets = body.optionalTextsByName('secrets') ?? {};
      const subject = toSubject(body);
      return plays.begin(targets.get(body.text('target')), { subject, secrets }).toJSON();
    },
    'GET /api/plays/:play': ({ param }) => plays.get(param('play')).toJSON(),
    'DELETE /api/plays/:play': async ({ param }) => {
      await plays.remove(param('play'));
      return { done: true };
    },
    'POST /api/plays/:play/end': async ({ param }) => {
      const play = plays.get(param('play'));
      await play.end();
      return play.toJSON();
    },
    'POST /api/plays/:play/steps': ({ param, body }) =>
      plays.get(param('play')).call(body.text('tool'), body.object('input')),
    'POST /api/plays/:play/steps/:step/cancel': async ({ param, number }) =>
      plays.get(param('play')).cancel(number('step')),
    'GET /api/plays/:play/steps/:step/wire': ({ param, number }) => plays.get(param('play')).wireOf(number('step')),
    'POST /api/plays/:play/branch': ({ param, body }) => plays.branch(param('play'), body.count('keep')).toJSON(),
    'POST /api/plays/:play/next': ({ param }) => plays.next(param('play')).toJSON(),
    'GET /api/plays/:play/export': ({ param, query }) => {
      const play = plays.get(param('play'));
      return exportPlay(play.toJSON(), query.oneOf('as', ['game', 'test', 'curl']), play.options.link.options);
    },
  };
}

function toSubject(body: Fields): PlaySubject {
  const subject = new Fields(body.object('subject'), "'subject'");
  if (subject.oneOf('kind', ['episode', 'tools']) === 'tools') return { kind: 'tools' };
  const choice = new Fields(subject.object('choice'), "'choice'");
  const environment = subject.text('environment');
  if (!choice.has('task'))
    return { kind: 'episode', environment, choice: { split: choice.text('split'), index: choice.count('index') } };
  if (choice.has('split') || choice.has('index'))
    throw badRequest("'choice' must be a task of your own, or a split and an index, not both");
  return { kind: 'episode', environment, choice: { task: choice.object('task') } };
}
