import type { NewPlay, PlayHead, PlaySubject } from '../../../src/studio/api.ts';
import { go, to } from '../../app/route.ts';
import { ask } from '../../data/ask.ts';

/** What is played, in one word. */
export function titleOf(subject: PlaySubject): string {
  return subject.kind === 'tools' ? 'Tools' : subject.environment;
}

/** Which task is played: `train · task 17`. */
export function taskOf(subject: PlaySubject): string {
  if (subject.kind === 'tools') return 'outside of episodes';
  return 'task' in subject.choice ? 'own task' : `${subject.choice.split} · task ${subject.choice.index}`;
}

/** Begins a play, and goes to it. */
export async function beginPlay(play: NewPlay): Promise<void> {
  const { id } = await ask('POST /api/plays', { body: play });
  go(to(['play', id]));
}

/** The form of a new episode, filled in with what was to be played. */
export function formOf({ target, subject }: Pick<PlayHead, 'target' | 'subject'>): string {
  if (subject.kind === 'tools') return to(['play'], { target });
  const { environment, choice } = subject;
  const task = 'task' in choice ? { task: JSON.stringify(choice.task, null, 2) } : choice;
  return to(['play'], { target, environment, ...task });
}

/** Plays the first `keep` calls again in a new session, and goes there. */
export async function branchFrom(play: string, keep: number): Promise<void> {
  const { id } = await ask('POST /api/plays/:play/branch', { path: { play }, body: { keep } });
  go(to(['play', id]));
}

/** Plays the next task with the same secrets, and goes there. */
export async function playNext(play: string): Promise<void> {
  const { id } = await ask('POST /api/plays/:play/next', { path: { play } });
  go(to(['play', id]));
}

/** Whether a play waits for a call. */
export function isOpen({ status }: Pick<PlayHead, 'status'>): boolean {
  return status === 'starting' || status === 'replaying' || status === 'ready';
}
