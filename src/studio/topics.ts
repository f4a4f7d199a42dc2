import type { FindTopic, Watchable } from './http/topic.ts';
import type { JobRun } from './jobs/job-run.ts';
import type { Jobs } from './jobs/jobs.ts';
import { Follow } from './live/follow.ts';
import type { LiveFeeds } from './live/live-feeds.ts';
import type { PlaySession } from './plays/play-session.ts';
import type { Plays } from './plays/plays.ts';
import type { RunLibrary } from './runs/run-library.ts';
import type { Targets } from './targets/targets.ts';

/** All that can be watched. */
export interface TopicParts {
  readonly targets: Targets;
  readonly feeds: LiveFeeds;
  readonly plays: Plays;
  readonly runs: RunLibrary;
  readonly jobs: Jobs;
}

/** Finds what the topics of the contract name. */
export function topicFinder({ targets, feeds, plays, runs, jobs }: TopicParts): FindTopic {
  // A Map, since an object would find a `constructor` as well.
  const lists = new Map<string, Watchable>([
    ['targets', listOf(targets.changes, () => ({ type: 'targets', targets: targets.list() }))],
    ['plays', listOf(plays.changes, () => ({ type: 'plays', plays: plays.list() }))],
    ['jobs', listOf(jobs.changes, () => ({ type: 'jobs', jobs: jobs.list() }))],
    [
      'runs',
      {
        snapshot: async () => ({ type: 'runs', runs: await runs.list() }),
        watch: (tell) => runs.watch(() => void runs.list().then((all) => tell({ type: 'runs', runs: all }))),
      },
    ],
  ]);
  return (topic) => {
    const [kind = '', id = '', ...rest] = topic.split('/');
    if (id === '') return lists.get(kind);
    switch (kind) {
      case 'play':
        return watchablePlay(plays.find(id));
      case 'job':
        return watchableJob(jobs.find(id));
      case 'run':
        return runs.folders().has(id) ? watchableRun(runs, id) : undefined;
      case 'live':
      case 'follow': {
        const link = targets.find(id);
        if (link === undefined) return undefined;
        return kind === 'live' ? feeds.of(link) : new Follow(link, feeds.of(link), rest.join('/'));
      }
      default:
        return undefined;
    }
  };
}

interface Changing {
  add(listener: () => void): () => void;
}

/** A list that is told as a whole, once for all changes of a turn. */
function listOf(changes: Changing, read: () => ReturnType<Watchable['snapshot']>): Watchable {
  return {
    snapshot: read,
    watch(tell) {
      let isSoon = false;
      return changes.add(() => {
        if (isSoon) return;
        isSoon = true;
        setImmediate(async () => {
          isSoon = false;
          tell(await read());
        });
      });
    },
  };
}

function watchablePlay(play: PlaySession | undefined): Watchable | undefined {
  if (play === undefined) return undefined;
  return {
    snapshot: () => ({ type: 'play', play: play.toJSON() }),
    watch: (tell) =>
      play.changes.add((step) =>
        tell(step === undefined ? { type: 'play', play: play.toJSON() } : { type: 'step', step, head: play.toHead() }),
      ),
  };
}

function watchableJob(job: JobRun | undefined): Watchable | undefined {
  if (job === undefined) return undefined;
  return {
    snapshot: () => ({ type: 'job', job: job.toJSON() }),
    watch: (tell) =>
      job.changes.add(({ findings }) => {
        const head = job.toHead();
        // Its report comes with the end.
        if (head.status === 'running') tell({ type: 'job_changes', job: head, findings });
        else tell({ type: 'job', job: job.toJSON() });
      }),
  };
}

function watchableRun(runs: RunLibrary, id: string): Watchable {
  const read = async () => ({ type: 'run', run: await runs.detail(id) }) as const;
  return {
    snapshot: read,
    watch: (tell) =>
      runs.watch((changed) => {
        if (changed.has(id)) void read().then(tell, () => tell({ type: 'gone' }));
      }),
  };
}
