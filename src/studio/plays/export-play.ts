import type { Play, PlayExport, PlayExportFormat } from '../api.ts';
import { conflict } from '../shared/refusal.ts';
import type { TargetOptions } from '../targets/target-link.ts';
import { toCurlScript } from './to-curl.ts';
import { toGame } from './to-game.ts';
import { toVitest } from './to-vitest.ts';

/** A play as a file: a game for `tiltyard play --script`, a test, or a script for the shell. */
export function exportPlay(play: Play, format: PlayExportFormat, target: TargetOptions): PlayExport {
  const name = nameOf(play);
  if (format === 'curl')
    return { name: `${name}.sh`, mimeType: 'text/x-shellscript', text: toCurlScript(play, target) };
  if (play.subject.kind !== 'episode')
    throw conflict('calls of toolkits belong to no episode', 'Save them as a curl script instead.');
  if (format === 'game')
    return { name: `${name}.jsonl`, mimeType: 'application/jsonl', text: toGame(play, play.subject) };
  return { name: `${name}.test.ts`, mimeType: 'text/x-typescript', text: toVitest(play, play.subject, target) };
}

function nameOf({ id, subject }: Play): string {
  if (subject.kind !== 'episode') return `tools-${id}`;
  const { environment, choice } = subject;
  const task = 'task' in choice ? 'task' : `${choice.split}-${choice.index}`;
  return `${environment}-${task}-${id}`.replace(/[^\w.-]+/g, '_').toLowerCase();
}
