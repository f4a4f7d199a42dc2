import { type Finding, NotApplicable, type Probe, Unmet } from './probe.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';

/** How probes are run. */
export interface ProbeRun<Subject> {
  readonly subject: Subject;
  readonly http: RecorderOptions;
  /** Whether tools may be called. */
  readonly isActive: boolean;
  readonly onFinding?: (finding: Finding) => void;
}

/** Runs probes one after the other, so that each failure can be told from the next. */
export async function runProbes<Subject>(
  probes: readonly Probe<Subject>[],
  { subject, http, isActive, onFinding }: ProbeRun<Subject>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const probe of probes) {
    http.signal.throwIfAborted();
    const finding =
      probe.isActive && !isActive
        ? toFinding(probe, 'skip', 'it calls tools: run it with --active')
        : await judge(probe, subject, http);
    findings.push(finding);
    onFinding?.(finding);
  }
  return findings;
}

async function judge<Subject>(probe: Probe<Subject>, subject: Subject, http: RecorderOptions): Promise<Finding> {
  const recorder = new Recorder(http);
  try {
    await probe.run(subject, recorder);
    return toFinding(probe, 'pass');
  } catch (thrown) {
    http.signal.throwIfAborted();
    if (thrown instanceof NotApplicable) return toFinding(probe, 'skip', thrown.message);
    // A server that asks for patience has not said anything about the requirement.
    if (recorder.exchanges.at(-1)?.answer?.status === 429)
      return toFinding(probe, 'skip', 'the server is refusing requests for now (429)');
    const reason = thrown instanceof Unmet ? thrown.message : `the probe got no usable answer: ${thrown}`;
    return { ...toFinding(probe, 'fail', reason), exchanges: recorder.exchanges };
  }
}

function toFinding(probe: Probe<never>, verdict: Finding['verdict'], reason?: string): Finding {
  const { isActive: _calls, run: _run, ...requirement } = probe;
  return { ...requirement, verdict, ...(reason === undefined ? {} : { reason }), exchanges: [] };
}
