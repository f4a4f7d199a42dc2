import type { Debugger, Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** Where a function begins: what it is known by. */
export type FunctionId = `${string}:${number}`;

/** The id of a function of a script. */
export function functionId({ scriptId }: Profiler.ScriptCoverage, { ranges }: Profiler.FunctionCoverage): FunctionId {
  return `${scriptId}:${ranges[0]?.startOffset ?? 0}`;
}

/** Records what runs in this process. Start it before the code is loaded: V8 counts blocks only in what it compiles afterwards. */
export class WalkRecorder {
  readonly #session = new Session();
  readonly #isFollowed: (url: string) => boolean;

  private constructor(isFollowed: (url: string) => boolean) {
    this.#isFollowed = isFollowed;
  }

  static async start(isFollowed: (url: string) => boolean): Promise<WalkRecorder> {
    const recorder = new WalkRecorder(isFollowed);
    recorder.#session.connect();
    await recorder.#session.post('Profiler.enable');
    await recorder.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return recorder;
  }

  /** What ran while `work` did. */
  async coverageOf(work: () => Promise<void>): Promise<Profiler.ScriptCoverage[]> {
    // Each time it is taken, counting begins anew.
    await this.#session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result.filter(({ url }) => this.#isFollowed(url));
  }

  /** Functions of these scripts in the order in which `work` first enters them. */
  async orderOf(scripts: readonly Profiler.ScriptCoverage[], work: () => Promise<void>): Promise<FunctionId[]> {
    const entered = new Set<FunctionId>();
    Object.assign(globalThis, { [ENTER]: (id: FunctionId) => void entered.add(id) });
    await this.#session.post('Debugger.enable');
    for (const script of scripts) await this.#mark(script);
    await work();
    await this.#session.post('Debugger.disable');
    return [...entered];
  }

  /** Makes the functions of a script tell that they are entered: by a breakpoint whose condition does so, and is never true. */
  async #mark(script: Profiler.ScriptCoverage): Promise<void> {
    const { scriptId } = script;
    const { scriptSource } = await this.#session.post('Debugger.getScriptSource', { scriptId });
    const locationOf = (offset: number): Debugger.Location => {
      const lines = scriptSource.slice(0, offset).split('\n');
      return { scriptId, lineNumber: lines.length - 1, columnNumber: lines.at(-1)?.length ?? 0 };
    };
    for (const each of script.functions) {
      const [whole] = each.ranges;
      if (whole === undefined || whole.count === 0) continue;
      const { locations } = await this.#session.post('Debugger.getPossibleBreakpoints', {
        start: locationOf(whole.startOffset),
        end: locationOf(whole.endOffset),
        restrictToFunction: true,
      });
      const [location] = locations;
      const condition = `${ENTER}('${functionId(script, each)}')`;
      if (location !== undefined) await this.#session.post('Debugger.setBreakpoint', { location, condition });
    }
  }
}

const ENTER = 'tiltyardWalkEnters';
