import type { RunIndex } from '../run-index.ts';
import { TextSearch } from './text-search.ts';

// Somebody who types leaves some behind; another tab may look for something else.
const KEPT = 4;

/** The searches in runs that were asked for last. */
export class TextSearches {
  /** The one that was asked for last comes first. */
  #searches: readonly TextSearch[] = [];

  /** The search for a text in a run: one that is known goes on, and a longer text is looked for where a part of it was found. */
  of(index: RunIndex, text: string): TextSearch {
    const begun = new TextSearch(index, text);
    const inRun = this.#searches.filter((each) => each.index === index);
    const known = inRun.find(({ wanted }) => wanted.text === begun.wanted.text);
    const part = inRun.find(({ wanted }) => begun.wanted.text.includes(wanted.text));
    if (known === undefined && part !== undefined) begun.narrow(part);
    const search = known ?? begun;
    const all = [search, ...this.#searches.filter((each) => each !== search)];
    for (const forgotten of all.slice(KEPT)) forgotten.stop();
    this.#searches = all.slice(0, KEPT);
    return search;
  }

  close(): void {
    for (const search of this.#searches) search.stop();
    this.#searches = [];
  }
}
