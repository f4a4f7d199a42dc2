import type { Observer } from '../../sessions/index.ts';

/** One observer out of several. */
export function combine(observers: readonly Observer[]): Observer {
  const [only] = observers;
  if (only !== undefined && observers.length === 1) return only;
  const within = withinAll(observers.flatMap((observer) => observer.within?.bind(observer) ?? []));
  return {
    on(event) {
      for (const observer of observers) observer.on(event);
    },
    onContent: toAll(observers.flatMap((observer) => observer.onContent?.bind(observer) ?? [])),
    within,
  };
}

/** Undefined if there are none, so that nothing is made for them. */
function toAll(listeners: readonly NonNullable<Observer['onContent']>[]): Observer['onContent'] {
  const [only] = listeners;
  if (listeners.length <= 1) return only;
  return (event) => {
    for (const listener of listeners) listener(event);
  };
}

type Within = NonNullable<Observer['within']>;

function withinAll([outer, ...others]: readonly Within[]): Within | undefined {
  if (outer === undefined || others.length === 0) return outer;
  const inner = withinAll(others);
  return (subject, run) => outer(subject, () => (inner === undefined ? run() : inner(subject, run)));
}
