import type { Exchange } from '../../checking/index.ts';
import { cutText } from '../../protocol/index.ts';
import { toSafeText } from '../shared/safe-text.ts';

const MAX_BODY = 600;

/** What was sent, as a command that can be run again, and what came back; fit for a terminal. */
export function exchangeLines(url: string, { request, answer, error }: Exchange): string[] {
  const { method, path, headers = {}, body } = request;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const isJson = body !== undefined && typeof body !== 'string';
  const all = { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers };
  const command = [
    `curl -i${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url + path)}`,
    ...Object.entries(all).map(([name, value]) => `-H ${quoted(`${name}: ${toShort(value)}`)}`),
    ...(text === undefined ? [] : [`-d ${quoted(toShort(text))}`]),
  ].join(' ');
  const received =
    answer === undefined
      ? []
      : [`${answer.status} ${answer.headers['content-type'] ?? ''}`.trim(), ...linesOf(answer.text)];
  return [
    ...linesOf(command).map((line) => `> ${line}`),
    ...received.map((line) => `< ${line}`),
    ...(error === undefined ? [] : [`! ${toSafeText(error)}`]),
  ];
}

function linesOf(text: string): string[] {
  return toSafeText(toShort(text)).trimEnd().split('\n');
}

function toShort(text: string): string {
  return cutText(text, MAX_BODY, `… (${text.length} characters in all)`);
}

function quoted(text: string): string {
  return /^[\w:/.,?=&%@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
