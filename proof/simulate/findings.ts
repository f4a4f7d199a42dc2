import type { CallEnding } from '../../src/sessions/index.ts';
import type { Violation } from '../chaos/model.ts';
import type { Stored } from './fake-journal.ts';

/** What must hold, whatever happens. The names are for reports. */
export const RULES = {
  total: "a client's calls count once each: its totals are right",
  twice: 'a call has one ending, and the same id always gives the same bytes',
  external: 'an external tool runs at most once for each id',
  attempt: 'each run of an idempotent call is written down before, with an attempt of its own',
  writer: 'one epoch has one writer, and epochs only grow',
  zombie: 'nothing is told that is not in the journal',
  lost: 'no session is lost that was acknowledged and whose contract keeps it',
  stuck: 'once faults are over, every client gets its answers',
  orphan: 'once clients are gone, every episode is torn down and closed in the journal',
  twin: 'a node has torn down an episode before it sets it up again',
  anew: 'a session that was ended does not begin once more',
  answer: 'a client gets no answer that makes no sense',
} as const;

/** The name of a rule. */
export type RuleName = keyof typeof RULES;

/** Which run of a call. */
export interface Attempt {
  readonly id: string;
  readonly attempt: number;
}

/** Collects what must not have happened, and knows what the journal has said. */
export class Findings {
  readonly violations: Violation[] = [];
  /** The endings of calls that are in the journal, by place and id: of the sessions there are now, since ids can be used again. */
  readonly #written = new Map<string, Map<string, string>>();
  /** Those that a client was told. */
  readonly #told = new Map<string, Map<string, string>>();

  /** Of calls that are written down before they run, by place: how often each attempt has run. */
  readonly #begun = new Map<string, Map<string, number>>();

  /** Notes that a rule was broken; once for each episode is enough. */
  add(rule: RuleName, episode: string, why: string): void {
    const isKnown = this.violations.some((each) => each.rule === RULES[rule] && each.episode === episode);
    if (!isKnown) this.violations.push({ rule: RULES[rule], episode, why });
  }

  /** Hears what is stored in the journal. */
  stored({ place, node, epoch, record }: Stored, before: Stored | undefined): void {
    if (before !== undefined) this.#checkWriter({ node, epoch, place }, before);
    // All that clients ask for under an id is one session; but one that was lost before they heard of it begins anew.
    const hasEnded = before?.record.type === 'close' && before.record.end !== 'lost';
    if (record.type === 'create' && hasEnded) this.add('anew', place, `${node} begins it after its end`);
    if (record.type === 'create') {
      this.#written.set(place, new Map());
      this.#told.set(place, new Map());
      this.#begun.set(place, new Map());
    }
    if (record.type === 'begin') this.#begin(place, record.call);
    if (record.type !== 'end' || record.ending === undefined) return;
    const { id } = record.call;
    const [text, told] = [endingText(record.ending), this.#told.get(place)?.get(id)];
    if (this.#written.get(place)?.has(id)) this.add('twice', place, `call ${id} has ended twice`);
    else if (told !== undefined && told !== text)
      this.add('twice', place, `call ${id} was told as ${told} and then written as ${text}`);
    this.#written.get(place)?.set(id, text);
  }

  /** Hears what a node tells of a call: what has run must be in the journal by then. */
  told(place: string, id: string, ending: CallEnding): void {
    const [text, written] = [endingText(ending), this.#written.get(place)?.get(id)];
    // That nobody knows how it ended can be read from the journal before it stands there.
    const isUnknown = ending.kind === 'failed' && ending.failure.code === 'outcome_unknown';
    if (ending.kind !== 'returned' && !isUnknown) return;
    this.#told.get(place)?.set(id, text);
    if (written === text || (isUnknown && written === undefined)) return;
    this.add('zombie', place, `call ${id}: told ${text}, and the journal has ${written ?? 'nothing'}`);
  }

  /** Hears that an idempotent tool runs. */
  ran(place: string, { id, attempt }: Attempt): void {
    // One that has ended runs again whenever its episode is built again, just as it did before.
    if (this.#written.get(place)?.has(id)) return;
    const begun = this.#begun.get(place);
    const times = begun?.get(`${id} ${attempt}`);
    if (times === undefined) this.add('attempt', place, `call ${id} runs as attempt ${attempt}, which has not begun`);
    else if (times > 0) this.add('attempt', place, `call ${id} runs once more as attempt ${attempt}`);
    begun?.set(`${id} ${attempt}`, (times ?? 0) + 1);
  }

  #begin(place: string, { id, attempt }: Attempt): void {
    const begun = this.#begun.get(place);
    const which = `${id} ${attempt}`;
    if (begun?.has(which)) this.add('attempt', place, `call ${id} begins once more as attempt ${attempt}`);
    begun?.set(which, begun.get(which) ?? 0);
  }

  #checkWriter({ node, epoch, place }: Pick<Stored, 'node' | 'epoch' | 'place'>, before: Stored): void {
    if (epoch < before.epoch) this.add('writer', place, `${node} wrote in epoch ${epoch}, after ${before.epoch}`);
    else if (epoch === before.epoch && node !== before.node)
      this.add('writer', place, `${node} and ${before.node} wrote in epoch ${epoch}`);
  }
}

/** An ending as a text that can be compared. */
export function endingText(ending: CallEnding): string {
  return ending.kind === 'returned' ? ending.json : `${ending.kind}: ${ending.failure.code}`;
}
