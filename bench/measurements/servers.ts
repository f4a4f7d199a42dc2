import type { BenchServer, NodeServer } from '../child.ts';

/** Those who are compared. */
export interface Servers {
  /** The least that a call can cost with node:http. */
  readonly floor: BenchServer;
  readonly tiltyard: NodeServer;
  /** The official Python server, where there is a Python. */
  readonly reference: BenchServer | undefined;
}
