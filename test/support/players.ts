import { fork } from 'node:child_process';

/** Somebody else who plays: many sessions in a process of their own. */
export interface Players extends AsyncDisposable {
  readonly pid: number;
  /** Makes calls in turns, as many a second as that; 0 makes none. */
  callAt(perSecond: number): void;
  /** Makes one call in a session; resolves when it has ended. */
  callIn(session: number): Promise<void>;
}

/** Whom they play with, and how many they are. */
export interface PlayersOptions {
  readonly url: string;
  readonly split: string;
  readonly sessions: number;
  readonly tool: string;
  readonly input?: object;
  readonly apiKey?: string;
}

/** Starts players; resolves when all of their sessions are open. */
export async function startPlayers(options: PlayersOptions): Promise<Players> {
  const child = fork(new URL('./players-process.ts', import.meta.url), [JSON.stringify(options)], {
    execArgv: ['--import', 'tsx', '--conditions', 'tiltyard-source'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const heard = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const listen = (message: unknown) => {
        if (message !== wanted) return;
        child.off('message', listen);
        resolve();
      };
      child.on('message', listen);
      void ended.then(() => reject(new Error('the players have ended')));
    });
  await heard('ready');
  return {
    pid: child.pid ?? 0,
    callAt: (perSecond) => void child.send({ perSecond }),
    async callIn(session) {
      const called = heard(`called ${session}`);
      child.send({ session });
      await called;
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}
