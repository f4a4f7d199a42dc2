import type { NewPlay, PlayHead, PlaySubject } from '../api.ts';
import { Listeners } from '../shared/listeners.ts';
import { badRequest, conflict, notFound } from '../shared/refusal.ts';
import type { TargetLink } from '../targets/target-link.ts';
import { type PlayOptions, PlaySession } from './play-session.ts';

// Each holds its steps, and a session on its server while it goes on.
const MOST_PLAYS = 200;

/** All plays of this launch, as the branches that they are. */
export class Plays {
  readonly changes: Listeners = new Listeners();
  readonly #plays = new Map<string, PlaySession>();
  #count = 0;

  /** Begins a play. */
  begin(link: TargetLink, { subject, secrets = {} }: Pick<NewPlay, 'subject' | 'secrets'>): PlaySession {
    return this.#add({ link, subject, secrets });
  }

  /** Begins a play with the first steps of another. */
  branch(id: string, keep: number): PlaySession {
    const play = this.get(id);
    const { link, subject, secrets } = play.options;
    const { length } = play.steps;
    if (keep > length) throw badRequest(`'keep' must be at most ${length}: the play has no more steps`);
    if (play.steps.slice(0, keep).some(({ status }) => status === 'running'))
      throw conflict('a call that is to be played again is still running', 'Wait for it, or cancel it.');
    return this.#add({ link, subject, secrets, origin: { play, keep } });
  }

  /** Begins the task after that of another play. With its secrets, which only the studio knows: the page forgets what was typed. */
  next(id: string): PlaySession {
    const { link, subject, secrets } = this.get(id).options;
    return this.#add({ link, subject: nextSubject(subject), secrets });
  }

  get(id: string): PlaySession {
    const play = this.#plays.get(id);
    if (play === undefined) throw notFound('play', id);
    return play;
  }

  find(id: string): PlaySession | undefined {
    return this.#plays.get(id);
  }

  list(): PlayHead[] {
    return [...this.#plays.values()].map((play) => play.toHead());
  }

  async remove(id: string): Promise<void> {
    const play = this.get(id);
    this.#plays.delete(id);
    this.changes.tell();
    await play.end();
  }

  /** Ends all plays of a server, or all. */
  async end(link?: TargetLink): Promise<void> {
    const meant = [...this.#plays.values()].filter(({ options }) => link === undefined || options.link === link);
    await Promise.all(meant.map((play) => play.end()));
  }

  #add(options: Omit<PlayOptions, 'id'>): PlaySession {
    if (this.#plays.size >= MOST_PLAYS)
      throw conflict(`the studio keeps ${MOST_PLAYS} plays`, 'Remove some of them first.');
    this.#count += 1;
    const play = new PlaySession({ ...options, id: `p${this.#count}` });
    this.#plays.set(play.options.id, play);
    play.changes.add(() => this.changes.tell());
    this.changes.tell();
    void play.start();
    return play;
  }
}

// A task of your own has none after it, and is begun once more.
function nextSubject(subject: PlaySubject): PlaySubject {
  if (subject.kind === 'tools' || 'task' in subject.choice) return subject;
  return { ...subject, choice: { ...subject.choice, index: subject.choice.index + 1 } };
}
