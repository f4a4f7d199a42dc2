import { TiltyardError, toCanonical } from '../../core/index.ts';
import type { JsonObject, ToolSpec, WireBlock } from '../../protocol/index.ts';
import type { RecordedEpisode, ToldResult } from '../../records/index.ts';
import type { OpenEpisode, ReadyListener, RunEnding, RunListener, RunRequest } from '../../sessions/index.ts';
import { toEnding, unrecorded } from './endings.ts';
import { toolsOf } from './recorded-tools.ts';

/** One recorded episode that is played: each call gets what the same call got. */
export class CassetteEpisode implements OpenEpisode {
  readonly environment: string;
  readonly needsSetup = false;
  readonly taskDigest: undefined;
  readonly #recorded: RecordedEpisode;
  /** What was told of equal calls, in the order they were made; taken out as they are made again. */
  readonly #answers = new Map<string, (ToldResult | undefined)[]>();
  #hasFinished = false;

  constructor(environment: string, recorded: RecordedEpisode) {
    this.environment = environment;
    this.#recorded = recorded;
    for (const { tool, input, told } of recorded.calls) {
      const key = keyOf(tool, input);
      this.#answers.set(key, [...(this.#answers.get(key) ?? []), told]);
    }
  }

  begin(onReady: ReadyListener): void {
    onReady(undefined);
  }

  giveUpSetup(): void {}

  async prompt(): Promise<WireBlock[]> {
    const { prompt } = this.#recorded;
    if (prompt === undefined)
      throw new TiltyardError('environment_failed', 'nobody read the prompt when this was recorded');
    return [...prompt];
  }

  tools(): readonly ToolSpec[] {
    return toolsOf(this.#recorded);
  }

  run({ name, input }: RunRequest, listener: RunListener): void {
    const ending = this.#endingOf(name, input as JsonObject);
    if (ending.kind !== 'refused') {
      listener.accepted();
      listener.running();
    }
    this.#hasFinished ||= ending.finished === true;
    listener.ended(ending);
  }

  /** Nothing takes long enough. */
  abort(): void {}

  async close(): Promise<void> {}

  #endingOf(tool: string, input: JsonObject): RunEnding {
    const answers = this.#answers.get(keyOf(tool, input));
    if (answers !== undefined && answers.length > 0) return toEnding(tool, answers.shift());
    if (this.#hasFinished)
      return { kind: 'refused', failure: { code: 'episode_finished', message: 'the episode is finished' } };
    return unrecorded({ tool, input, wasCalled: answers !== undefined, recorded: this.#recorded.calls });
  }
}

function keyOf(tool: string, input: JsonObject): string {
  return toCanonical([tool, input]);
}
