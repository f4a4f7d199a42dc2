/** What the server's processes have used so far. */
export interface UsageReading {
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** How late a server's event loop was. */
export interface Lag {
  readonly meanMs?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly maxMs?: number;
}

/** Something that knows what a server uses; undefined when it cannot tell any more. */
export interface UsageMeter {
  read(): Promise<UsageReading | undefined>;
}
