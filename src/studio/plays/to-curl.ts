import type { JsonValue } from '../../protocol/index.ts';
import type { Play, PlaySubject, Step } from '../api.ts';
import type { TargetOptions } from '../targets/target-link.ts';

/** A play as a script for the shell. Keys and secrets come from the environment of who runs it. */
export function toCurlScript(play: Play, { url, isModule }: TargetOptions): string {
  const server = isModule ? 'http://localhost:8080' : url;
  const head = [
    '#!/bin/sh',
    '# Needs curl 7.82 or later. A server that wants a key gets the one in TILTYARD_API_KEY.',
    'set -eu',
    `DEFAULT_SERVER=${quoted(server)}`,
    `SERVER="\${SERVER:-$DEFAULT_SERVER}"`,
    `KEY="\${TILTYARD_API_KEY:+X-API-Key: $TILTYARD_API_KEY}"`,
  ];
  const calls = play.steps.filter(({ status }) => status !== 'running');
  const body = play.subject.kind === 'episode' ? episodeLines(play, play.subject, calls) : calls.map(toToolLine);
  return [...head, '', ...body, ''].join('\n');
}

function episodeLines(
  { secrets }: Play,
  { environment, choice }: Extract<PlaySubject, { kind: 'episode' }>,
  calls: readonly Step[],
): string[] {
  const path = encodeURIComponent(environment);
  const create = { env_name: environment, ...('task' in choice ? { task_spec: choice.task } : choice) };
  const needs = secrets.length === 0 ? [] : [`# The episode was played with these secrets: ${JSON.stringify(secrets)}`];
  return [
    ...needs,
    'SID="$(curl -sS -X POST "$SERVER/create_session" -H "$KEY" | sed \'s/.*"sid" *: *"\\([^"]*\\)".*/\\1/\')"',
    'trap \'curl -sS -X POST "$SERVER/delete" -H "$KEY" -H "X-Session-ID: $SID" > /dev/null\' EXIT',
    `${curl(`$SERVER/create`)} ${json(create)}; echo`,
    `${curl(`$SERVER/${path}/prompt`)}; echo`,
    ...calls.map(({ tool, input }) => `${curl(`$SERVER/${path}/call`, '-N')} ${json({ name: tool, input })}`),
  ];
}

function curl(url: string, options = ''): string {
  return `curl -sS ${options === '' ? '' : `${options} `}"${url}" -H "$KEY" -H "X-Session-ID: $SID"`;
}

function toToolLine({ tool, input }: Step): string {
  return `curl -sS "$SERVER/tools/call" -H "$KEY" ${json({ request: { tool_id: tool, input } })}; echo`;
}

function json(value: JsonValue): string {
  return `--json ${quoted(JSON.stringify(value))}`;
}

/** A text as one word of the shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
