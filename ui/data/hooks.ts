import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { StreamEvent, Topic } from '../../src/studio/api.ts';
import { type AnswerOf, type Asked, ask, type RouteName } from './ask.ts';
import { site } from './site.ts';
import { type StreamStatus, StudioStream } from './stream.ts';

/** The stream of events of this page. */
const stream = new StudioStream();

/** What is known of an answer. */
export interface Answer<Data> {
  /** The last answer; also while a newer one is on its way, so that nothing jumps. */
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Asks, and asks again when the request changes; a null route asks nothing. */
export function useAnswer<Name extends RouteName>(route: Name | null, asked: Asked<Name> = {}): Answer<AnswerOf<Name>> {
  const [state, setState] = useState<{ key: string; data?: AnswerOf<Name>; error?: unknown; isLoading: boolean }>({
    key: '',
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify([route, asked.path, asked.query]);
  const latest = useRef(asked);
  latest.current = asked;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` asks again, and `key` stands for what is asked.
  useEffect(() => {
    if (route === null) return;
    const stop = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    ask(route, { ...latest.current, signal: stop.signal }).then(
      (data) => stop.signal.aborted || setState({ key, data, isLoading: false }),
      (error: unknown) => stop.signal.aborted || setState({ key, error, isLoading: false }),
    );
    return () => stop.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { data: state.data, error: state.error, isLoading: state.isLoading || state.key !== key, reload };
}

/** What the stream tells of a topic, reduced to a state; undefined until the first event. A null topic is silent. */
export function useTopic<State>(
  topic: Topic | null,
  reduce: (before: State | undefined, event: StreamEvent) => State | undefined,
): State | undefined {
  const [state, setState] = useState<{ topic: Topic | null; value: State | undefined }>({ topic, value: undefined });
  const reducer = useRef(reduce);
  reducer.current = reduce;
  useEffect(() => {
    if (topic === null || site !== undefined) return;
    return stream.listen(topic, (event) =>
      setState((before) => ({
        topic,
        value: reducer.current(before.topic === topic ? before.value : undefined, event),
      })),
    );
  }, [topic]);
  return state.topic === topic ? state.value : undefined;
}

/** Whether news arrives. */
export function useStreamStatus(): StreamStatus {
  return useSyncExternalStore(stream.watch, () => stream.status);
}

/** Something that a person starts: whether it is on its way, and how it failed. */
export function useAction<Arguments extends readonly unknown[], Result>(
  act: (...given: Arguments) => Promise<Result>,
): {
  readonly run: (...given: Arguments) => Promise<Result | undefined>;
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly clear: () => void;
} {
  const [state, setState] = useState<{ isRunning: boolean; error: unknown }>({ isRunning: false, error: undefined });
  const latest = useRef(act);
  latest.current = act;
  const run = useCallback(async (...given: Arguments) => {
    setState({ isRunning: true, error: undefined });
    try {
      const result = await latest.current(...given);
      setState({ isRunning: false, error: undefined });
      return result;
    } catch (error) {
      setState({ isRunning: false, error });
      return undefined;
    }
  }, []);
  const clear = useCallback(() => setState({ isRunning: false, error: undefined }), []);
  return { run, ...state, clear };
}

/** Acts when a value is another one than before; not when the component comes. */
export function useWhenChanged(value: string, act: () => void): void {
  const before = useRef(value);
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    act();
  }, [value, act]);
}

/** Now, to the second, for things that grow old. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
