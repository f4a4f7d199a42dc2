import { must, mustUnquoted, objectOf, type Rule, wholeNumber } from '../../core/index.ts';
import { journalKeys, type OptionRules } from '../options.ts';

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

// It is part of subjects.
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const { nats, nodeName, ...optional }: OptionRules<ClusterOption> = {
  // A password may be in it.
  nats: mustUnquoted('an address such as nats://localhost:4222', (value) => typeof value === 'string' && value !== ''),
  nodeName: must("1 to 64 letters, digits, '-' or '_'", (value) => typeof value === 'string' && NAME.test(value)),
  replicas: wholeNumber('servers', { most: 5 }),
  keys: journalKeys,
};

/** What can be given as `cluster`. */
export const clusterRule: Rule = objectOf({ required: { nats, nodeName }, optional }, mustUnquoted);
