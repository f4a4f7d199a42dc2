import { type Client, ClientError, HttpError, MaxRetries, NetworkError, type OxpClient } from '../../client/index.ts';

/** The clients of one server. */
export interface Clients {
  readonly ors: Client;
  readonly oxp: OxpClient;
}

/** Finds out which protocols a server speaks; rejects if it cannot be asked. */
export async function protocolsOf({ ors, oxp }: Clients, timeoutMs: number): Promise<readonly ('ors' | 'oxp')[]> {
  const speaksOrs = await answers(ors.environments({ timeoutMs }), 'strict');
  const speaksOxp = await answers(oxp.tools({ timeoutMs }), speaksOrs ? 'lenient' : 'strict');
  return [...(speaksOrs ? (['ors'] as const) : []), ...(speaksOxp ? (['oxp'] as const) : [])];
}

/** Whether an answer makes sense; `lenient` takes any other failure for a no as well. */
async function answers(asked: Promise<unknown>, how: 'strict' | 'lenient'): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (thrown) {
    if (!(thrown instanceof ClientError) || thrown instanceof NetworkError || thrown instanceof MaxRetries)
      throw thrown;
    // Servers of another protocol have something else there, or nothing.
    if (how === 'lenient') return false;
    if (thrown.status === 401 || thrown.status === 403) throw thrown;
    if (!(thrown instanceof HttpError) || thrown.status === 404 || thrown.status === 405) return false;
    throw thrown;
  }
}
