import { type Awaitable, TiltyardError, toFailure, toFailureError } from '../../src/core/index.ts';
import type {
  CallListener,
  CallRequest,
  EpisodeRuntime,
  OpenEpisode,
  RunListener,
  SessionHost,
  ToolHost,
  ToolRuntime,
} from '../../src/sessions/index.ts';

// What another process would see of a host: copies, a turn later. A live object cannot be copied, and code that counts on
// an answer within the turn does not get it.

/** A host behind a seam that lets only copies through. */
export function acrossHost(host: SessionHost): SessionHost {
  let isDraining = false;
  return {
    manifest: structuredClone(host.manifest),
    tasks: (query) => across(() => host.tasks(copy(query))),
    create: (ref, request) => across(() => host.create(copy(ref), copy(request))),
    prompt: (ref) => across(() => host.prompt(copy(ref))),
    tools: (ref) => across(() => host.tools(copy(ref))),
    call(ref, request, on) {
      const [whose, sent] = [copy(ref), copy(request)];
      return callAcross(on, (heard) => host.call(whose, sent, heard), sent);
    },
    touch: (ref) => across(() => host.touch(copy(ref))),
    end: (ref) => across(() => host.end(copy(ref))),
    get isDraining() {
      return isDraining || host.isDraining;
    },
    drain() {
      isDraining = true;
      return across(() => host.drain());
    },
  };
}

/** A host of tools behind such a seam. */
export function acrossToolHost(host: ToolHost): ToolHost {
  let isDraining = false;
  return {
    tools: structuredClone(host.tools),
    call(request, on) {
      const sent = copy(request);
      return callAcross(on, (heard) => host.call(sent, heard));
    },
    get isDraining() {
      return isDraining || host.isDraining;
    },
    drain() {
      isDraining = true;
      return across(() => host.drain());
    },
  };
}

/** A runtime behind such a seam. */
export function acrossRuntime(runtime: EpisodeRuntime): EpisodeRuntime {
  return {
    manifest: structuredClone(runtime.manifest),
    tasks: (query) => across(() => runtime.tasks(copy(query))),
    async open(start) {
      // The handle stands for an id that the other side knows.
      let episode: OpenEpisode | undefined;
      const facts = await across(async () => {
        episode = await runtime.open(copy(start));
        const { environment, needsSetup, taskDigest } = episode;
        return { environment, needsSetup, taskDigest };
      });
      return episodeAcross(episode as OpenEpisode, facts);
    },
  };
}

/** A runtime of tools behind such a seam. */
export function acrossToolRuntime(runtime: ToolRuntime): ToolRuntime {
  return {
    tools: structuredClone(runtime.tools),
    check: (toolId, input) => across(() => runtime.check(toolId, copy(input))),
    run: (run, listener) => {
      const [sent, told] = [copy(run), listenerAcross(listener, () => false)];
      setImmediate(() => runtime.run(sent, told));
    },
    abort: (call, reason) => across(() => runtime.abort(call, reason)),
  };
}

function episodeAcross(
  episode: OpenEpisode,
  { environment, needsSetup, taskDigest }: Pick<OpenEpisode, 'environment' | 'needsSetup' | 'taskDigest'>,
): OpenEpisode {
  let isClosed = false;
  return {
    environment,
    needsSetup,
    taskDigest,
    begin(onReady, onLost) {
      setImmediate(() =>
        episode.begin((failure, saved) => {
          const told = copy(failure);
          setImmediate(() => onReady(told, saved));
        }, onLost),
      );
    },
    giveUpSetup: (limitMs) => void setImmediate(() => episode.giveUpSetup(limitMs)),
    prompt: () => across(() => episode.prompt()),
    tools: () => across(() => episode.tools()),
    run(request, listener) {
      const [sent, told] = [copy(request), listenerAcross(listener, () => isClosed)];
      setImmediate(() => episode.run(sent, told));
    },
    abort: (call, reason) => void setImmediate(() => episode.abort(call, reason)),
    close(reason) {
      isClosed = true;
      return across(() => episode.close(reason));
    },
  };
}

/** `isOver` says that what is still under way shall not be told any more. */
function listenerAcross(listener: RunListener, isOver: () => boolean): RunListener {
  const tell = (say: () => void) => void setImmediate(() => isOver() || say());
  return {
    accepted: () => tell(() => listener.accepted()),
    running: () => tell(() => listener.running()),
    ended(ending) {
      const told = copy(ending);
      tell(() => listener.ended(told));
    },
  };
}

/** `leaveAborts` says that the end is told also to a client that has left. */
function callAcross(
  on: CallListener,
  call: (on: CallListener) => () => void,
  { leaveAborts = false }: Pick<CallRequest, 'leaveAborts'> = {},
): () => void {
  let hasLeft = false;
  let leave = () => {};
  setImmediate(() => {
    leave = call((event) => {
      const told = copy(event);
      setImmediate(() => hasLeft || on(told));
    });
  });
  return () => {
    hasLeft = !leaveAborts;
    setImmediate(() => leave());
  };
}

const copy = structuredClone;

async function across<Value>(work: () => Awaitable<Value>): Promise<Value> {
  await new Promise(setImmediate);
  try {
    return copy(await work());
  } catch (thrown) {
    if (!(thrown instanceof TiltyardError)) throw new TypeError('only our own errors may cross', { cause: thrown });
    throw toFailureError(copy(toFailure(thrown)));
  } finally {
    await new Promise(setImmediate);
  }
}
