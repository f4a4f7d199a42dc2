import { printable } from '../../core/index.ts';

const CUT = '[cut]';

/** A URL with nothing to cut or to escape: its segments are short, and nothing in them has a meaning in URLs or JSON. */
export const PLAIN_URL: RegExp = /^(?:\/[\x21\x24-\x2e\x30-\x3e\x41-\x5b\x5d-\x7e]{0,23})*$/;

/**
 * A URL for the log, without what may be a key or a token. No route of ours takes any there, but clients send them: as a
 * parameter, as a password, or in the path. Of parameters the names stay.
 */
export function toLoggedUrl(url: string): string {
  if (PLAIN_URL.test(url)) return url;
  const [, path = '', mark = '', rest = ''] = /^([^?#]*)([?#]?)(.*)$/s.exec(url) ?? [];
  const safe = path.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/@]*@/i, `$1${CUT}@`).replace(SECRET_SEGMENT, `/${CUT}`);
  return printable(`${safe}${mark}${mark === '' ? '' : rest.split('&').map(toName).join('&')}`);
}

// A token (JWT), or what no one gives as a name: many hexadecimal digits, or small and large letters with digits.
// The address of an episode over MCP as well: whoever has it may act there.
const SECRET_SEGMENT =
  /\/(?:(?<=\/mcp\/sessions\/)[^/]+|eyJ[\w-]+\.[\w.-]*|[\da-f]{32,}|(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{24,})(?=\/|$)/g;

function toName(parameter: string): string {
  const at = parameter.indexOf('=');
  if (at < 0) return parameter === '' ? '' : CUT;
  const name = parameter.slice(0, at);
  return `${/^[\w.[\]%-]{0,40}$/.test(name) ? name : CUT}=${CUT}`;
}
