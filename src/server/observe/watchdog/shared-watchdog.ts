import { Watchdog, type WatchdogOptions } from './watchdog.ts';

// There is one event loop in a process, and so one watchdog, however many servers ask for it.
let shared: { readonly watchdog: Watchdog; users: number } | undefined;

/** The watchdog of this process, started by the first who asks, with those options. Give it back with `releaseWatchdog()`. */
export function shareWatchdog(options: WatchdogOptions): Watchdog {
  shared ??= { watchdog: new Watchdog(options), users: 0 };
  shared.users += 1;
  return shared.watchdog;
}

/** Ends the watchdog when nobody uses it any more. */
export function releaseWatchdog(): void {
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  shared.watchdog[Symbol.dispose]();
  shared = undefined;
}
