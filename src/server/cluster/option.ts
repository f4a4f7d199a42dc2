import { DefinitionError, type Rule } from '../../core/index.ts';
import { isObject } from '../../protocol/index.ts';

/** The cluster that a server belongs to. */
export interface ClusterOption {
  /** Where NATS is: `nats://host:4222`, with `user:password@` if it asks for them; several servers separated by commas. */
  readonly nats: string;
  /** The name of this node, for people; each node has its own. Letters, digits, `-` and `_`. */
  readonly nodeName: string;
  /** On how many servers of NATS each record is. Default: 3 where NATS is a cluster, otherwise 1. */
  readonly replicas?: number;
  /** Keys of 32 bytes, in hex or base64, the same at all nodes: the first one encrypts the journal, all of them read it. */
  readonly keys?: readonly string[];
}

const KEYS: ReadonlySet<string> = new Set(['nats', 'nodeName', 'replicas', 'keys']);

// It is part of subjects.
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** What can be given as `cluster`. Messages do not quote it: a password may be in it. */
export const clusterRule: Rule = (value, place) => {
  if (!isObject(value) || Object.keys(value).some((key) => !KEYS.has(key)))
    throw new DefinitionError(`${place} must be { nats, nodeName, replicas, keys }`);
  const { nats, nodeName, replicas = 1, keys = [] } = value;
  if (typeof nats !== 'string' || nats === '')
    throw new DefinitionError(`${place}.nats must be an address such as nats://localhost:4222`);
  if (typeof nodeName !== 'string' || !NAME.test(nodeName))
    throw new DefinitionError(`${place}.nodeName must be 1 to 64 letters, digits, '-' or '_'`);
  if (!Number.isInteger(replicas) || (replicas as number) < 1 || (replicas as number) > 5)
    throw new DefinitionError(`${place}.replicas must be from 1 to 5`);
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string'))
    throw new DefinitionError(`${place}.keys must be a list of texts`);
};
