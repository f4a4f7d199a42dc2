import type { Page } from 'playwright-core';

/** How smoothly a page went on for a while. */
export interface Smoothness {
  readonly framesPerSecond: number;
  /** Times between frames. */
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly longestMs: number;
  /** What kept the page busy for more than 50 ms at a time. */
  readonly longTasks: number;
  readonly longTasksMs: number;
}

/** Watches the frames of a page. */
export async function watchFrames(page: Page, forMs: number): Promise<Smoothness> {
  const { gaps, tasks } = await page.evaluate(async (ms) => {
    const found: { gaps: number[]; tasks: number[] } = { gaps: [], tasks: [] };
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) found.tasks.push(duration);
    });
    observer.observe({ type: 'longtask' });
    const begun = performance.now();
    let before = begun;
    await new Promise<void>((resolve) => {
      const frame = (now: number) => {
        found.gaps.push(now - before);
        before = now;
        if (now - begun < ms) requestAnimationFrame(frame);
        else resolve();
      };
      requestAnimationFrame(frame);
    });
    observer.disconnect();
    return found;
  }, forMs);
  const sorted = gaps.slice(1).sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return {
    framesPerSecond: (sorted.length / forMs) * 1_000,
    medianMs: at(0.5),
    p95Ms: at(0.95),
    longestMs: at(1),
    longTasks: tasks.length,
    longTasksMs: tasks.reduce((sum, each) => sum + each, 0),
  };
}
