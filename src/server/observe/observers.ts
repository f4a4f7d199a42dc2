import type { Observer } from '../../sessions/index.ts';

/** One observer out of several, each of which hears only what it asks for. */
export function combine(observers: readonly Partial<Observer>[]): Observer {
  return {
    sessionStarted: tellAll(observers, 'sessionStarted'),
    setupEnded: tellAll(observers, 'setupEnded'),
    sessionEnded: tellAll(observers, 'sessionEnded'),
    callStarted: tellAll(observers, 'callStarted'),
    callRunning: tellAll(observers, 'callRunning'),
    callEnded: tellAll(observers, 'callEnded'),
    within: withinAll(observers),
  };
}

type Event = Exclude<keyof Observer, 'within'>;

function tellAll<Name extends Event>(observers: readonly Partial<Observer>[], name: Name): Observer[Name] {
  type Tell = (first: unknown, second: unknown, third: unknown) => void;
  const tells = observers.flatMap((observer) => (observer[name]?.bind(observer) ?? []) as Tell | []);
  const [only = () => {}] = tells;
  if (tells.length < 2) return only as Observer[Name];
  const tell: Tell = (first, second, third) => {
    for (const each of tells) each(first, second, third);
  };
  return tell as Observer[Name];
}

function withinAll(observers: readonly Partial<Observer>[]): Observer['within'] {
  const [outer, ...others] = observers.flatMap(({ within }) => within ?? []);
  if (outer === undefined || others.length === 0) return outer;
  const inner = withinAll(others.map((within) => ({ within })));
  return (subject, run) => outer(subject, () => (inner === undefined ? run() : inner(subject, run)));
}
