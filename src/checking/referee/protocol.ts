import type { ForeignSchemas } from '../foreign/foreign-schemas.ts';
import type { Finding, Probe } from './probe.ts';
import type { Recorder, RecorderOptions } from './recorder.ts';
import { runProbes } from './run-probes.ts';

/** A protocol that the referee knows. */
export interface Protocol {
  /** As users name it: ors. */
  readonly name: string;
  readonly probes: readonly Pick<Probe<never>, 'id' | 'group'>[];
  /** Whether a server speaks it. */
  detect(http: Recorder): Promise<boolean>;
  run(run: ProtocolRun): Promise<Finding[]>;
}

/** How a protocol's probes are run. */
export interface ProtocolRun {
  readonly http: RecorderOptions;
  /** Whether tools may be called. */
  readonly isActive: boolean;
  /** Evaluates the server's schemas. */
  readonly schemas: ForeignSchemas;
  /** How long a setup may take. */
  readonly setupMs: number;
  /** What sessions are created with. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The names of all protocols that the server speaks. */
  readonly spoken: readonly string[];
  /** Which of the probes to run. */
  readonly isWanted: (id: string) => boolean;
  readonly onFinding: (finding: Finding) => void;
}

/** What a protocol is made from. */
export interface ProtocolDefinition<Subject> {
  readonly name: string;
  readonly probes: readonly Probe<Subject>[];
  detect(http: Recorder): Promise<boolean>;
  /** Looks at the server before it is probed. */
  open(run: ProtocolRun): Promise<Subject>;
  /** Leaves the server as it was, also after an interruption. */
  close?(subject: Subject): Promise<void>;
}

/** Makes a protocol; what its probes know about a server is its own affair. */
export function protocol<Subject>({ name, probes, detect, open, close }: ProtocolDefinition<Subject>): Protocol {
  return {
    name,
    probes,
    detect,
    async run(run) {
      const subject = await open(run);
      try {
        const wanted = probes.filter(({ id }) => run.isWanted(id));
        return await runProbes(wanted, { ...run, subject });
      } finally {
        await close?.(subject);
      }
    },
  };
}
