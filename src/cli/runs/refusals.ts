import { ParquetMissing, RunFolderError } from '../../rollouts/index.ts';
import { Failure, misuse } from '../shared/failure.ts';

/** Turns what the library refuses into what a person reads. */
export async function refusing<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof RunFolderError || thrown instanceof TypeError) throw misuse(thrown.message);
    if (thrown instanceof ParquetMissing) throw new Failure(thrown.message);
    throw thrown;
  }
}
