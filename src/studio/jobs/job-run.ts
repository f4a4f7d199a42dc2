import type { Judgement } from '../../checking/index.ts';
import type { JsonObject } from '../../protocol/index.ts';
import type { Job, JobExchange, JobFinding, JobHead } from '../api.ts';
import { toProblem } from '../shared/client-problem.ts';
import { Listeners } from '../shared/listeners.ts';
import { mask } from '../shared/mask.ts';

/** How a job tells of itself while it runs. */
export interface JobTeller {
  readonly signal: AbortSignal;
  progress(done: number, total: number, doing: string): void;
  found(judgement: Judgement): void;
}

/** What a job is about, and how it is done. */
export interface JobOptions extends Pick<JobHead, 'id' | 'kind' | 'target' | 'title'> {
  /** What must not be shown. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Resolves with a report, if it makes one. */
  run(teller: JobTeller): Promise<JsonObject | null>;
}

// More of an answer nobody reads.
const MOST_TEXT = 20_000;
const TELL_EVERY_MS = 100;

/** What is new of a job. */
export interface JobChange {
  readonly findings: readonly JobFinding[];
}

/** A check or a measurement, from its beginning on. */
export class JobRun {
  readonly changes: Listeners<JobChange> = new Listeners();
  readonly ended: Promise<void>;
  readonly #options: JobOptions;
  readonly #cancel = new AbortController();
  readonly #findings: JobFinding[] = [];
  readonly #startedAt = Date.now();
  #status: JobHead['status'] = 'running';
  #endedAt: number | null = null;
  #progress: JobHead['progress'] = { done: 0, total: 0, doing: '' };
  #problem: JobHead['problem'] = null;
  #report: JsonObject | null = null;
  #told = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: JobOptions) {
    this.#options = options;
    this.ended = this.#run();
  }

  cancel(): void {
    this.#cancel.abort(new Error('cancelled'));
  }

  toHead(): JobHead {
    const { id, kind, target, title } = this.#options;
    const counts: Partial<Record<JobFinding['outcome'], number>> = {};
    for (const { outcome } of this.#findings) counts[outcome] = (counts[outcome] ?? 0) + 1;
    return {
      id,
      kind,
      target,
      title,
      status: this.#status,
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
      progress: this.#progress,
      counts,
      problem: this.#problem,
    };
  }

  toJSON(): Job {
    return { ...this.toHead(), findings: this.#findings, report: this.#report };
  }

  async #run(): Promise<void> {
    const { secrets, run } = this.#options;
    try {
      const report = await run({
        signal: this.#cancel.signal,
        progress: (done, total, doing) => {
          this.#progress = { done, total, doing };
          this.#soon();
        },
        found: (judgement) => {
          this.#findings.push(mask(toFinding(judgement), secrets));
          this.#soon();
        },
      });
      this.#report = report === null ? null : mask(report, secrets);
      this.#status = this.#cancel.signal.aborted ? 'cancelled' : 'done';
    } catch (thrown) {
      this.#status = this.#cancel.signal.aborted ? 'cancelled' : 'failed';
      this.#problem = this.#cancel.signal.aborted ? null : mask(toProblem(thrown), secrets);
    }
    this.#endedAt = Date.now();
    this.#tell();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#tell(), TELL_EVERY_MS);
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const findings = this.#findings.slice(this.#told);
    this.#told = this.#findings.length;
    this.changes.tell({ findings });
  }
}

function toFinding(judgement: Judgement): JobFinding {
  const { protocol, id, group, level, requirement, source, outcome, reason, advice, exchanges } = judgement;
  return {
    protocol,
    id,
    group,
    level,
    requirement,
    source,
    outcome,
    reason: reason ?? null,
    advice: advice ?? null,
    exchanges: exchanges.map(toExchange),
  };
}

function toExchange({ request, answer, error }: Judgement['exchanges'][number]): JobExchange {
  const { method, path, headers = {}, body } = request;
  return {
    method,
    path,
    headers,
    body: body === undefined ? null : cut(typeof body === 'string' ? body : JSON.stringify(body)),
    answer:
      answer === undefined ? null : { status: answer.status, headers: toTexts(answer.headers), text: cut(answer.text) },
    error: error ?? null,
  };
}

function toTexts(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

function cut(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} [cut, ${text.length} characters in all]` : text;
}
