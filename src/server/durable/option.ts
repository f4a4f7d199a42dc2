import { mustUnquoted, objectOf, type Rule, trueOrFalse } from '../../core/index.ts';
import type { Recovered } from '../../sessions/index.ts';
import { aFolder, anything, journalKeys, type OptionRules } from '../options.ts';

/** Where a server keeps episodes, so that they go on when it starts again. */
export interface JournalOption {
  /** It is made if it is not there. One server at a time. */
  readonly folder: string;
  /**
   * Keys of 32 bytes, in hex or base64: the first one encrypts what is written, all of them read what is there. Without one, episodes
   * that come with secrets are not written down.
   */
  readonly keys?: readonly string[];
  /** Whether an answer waits until the disk has it, so that it survives a loss of power as well. Default: false. */
  readonly sync?: boolean;
  /**
   * Hears how far the server has come with what an earlier one has left.
   * @internal For the command, which shows it.
   */
  readonly recovery?: RecoveryListener;
}

/** Hears of what a server takes over from an earlier one when it starts. */
export interface RecoveryListener {
  /** So many of the entries of the journal were looked at. */
  progress(done: number, all: number): void;
  /** `recovered` is undefined for a server without environments. */
  ended(recovered: Recovered | undefined, ms: number): void;
}

const { folder, recovery, ...optional }: OptionRules<JournalOption> = {
  folder: aFolder,
  keys: journalKeys,
  sync: trueOrFalse,
  recovery: anything,
};

/** What can be given as `journal`. */
export const journalRule: Rule = objectOf({ required: { folder }, optional, internal: { recovery } }, mustUnquoted);
