type ProcessEvent = 'exit' | 'uncaughtExceptionMonitor';

const listeners = new Map<ProcessEvent, Set<() => void>>();

/**
 * Listens to the process; what is returned ends that. Any number of servers may do so: Node hears of one listener for all of them, and
 * so does not take the eleventh for a leak.
 */
export function onProcess(event: ProcessEvent, listener: () => void): () => void {
  const all = listeners.get(event) ?? begin(event);
  all.add(listener);
  return () => {
    all.delete(listener);
    if (all.size > 0 || listeners.get(event) !== all) return;
    listeners.delete(event);
    process.off(event, TELL[event]);
  };
}

function begin(event: ProcessEvent): Set<() => void> {
  const all = new Set<() => void>();
  listeners.set(event, all);
  process.on(event, TELL[event]);
  return all;
}

const tellAll = (event: ProcessEvent) => () => {
  for (const listener of listeners.get(event) ?? []) listener();
};

const TELL: Readonly<Record<ProcessEvent, () => void>> = {
  exit: tellAll('exit'),
  uncaughtExceptionMonitor: tellAll('uncaughtExceptionMonitor'),
};
