import type { Recorder } from '../recorder.ts';
import type { OxpSubject } from './subject.ts';

/** Headers that take the credentials out of a request: the recorder sends them otherwise. */
export function withoutCredentials({ credentials }: OxpSubject): Record<string, string> {
  return Object.fromEntries(Object.keys(credentials).map((name) => [name.toLowerCase(), '']));
}

/** Whether a server asks its callers for credentials. */
export async function isGuarded(subject: OxpSubject, http: Recorder): Promise<boolean> {
  const { status } = await http.ask({ method: 'GET', path: '/tools', headers: withoutCredentials(subject) });
  return [400, 401, 403].includes(status);
}
