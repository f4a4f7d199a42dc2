// Long enough that what is quick shows nothing.
const QUIET_MS = 300;

const FRAME_MS = 100;

const FRAMES = ['|', '/', '-', '\\'];

/** Waits for something; if that takes a while and somebody watches, says on standard error what for, and how long it has been. */
export async function waitFor<Value>(what: string, work: Promise<Value>): Promise<Value> {
  using _shown = showWaiting(what);
  return await work;
}

// What is waited for within something that is waited for shows nothing of its own.
let isShowing = false;

function showWaiting(what: string): Disposable {
  const { stderr } = process;
  if (stderr.isTTY !== true || process.env.TERM === 'dumb' || isShowing) return { [Symbol.dispose]() {} };
  isShowing = true;
  const begun = Date.now();
  let frames = 0;
  let timer = setTimeout(draw, QUIET_MS);
  function draw(): void {
    const seconds = Math.floor((Date.now() - begun) / 1000);
    stderr.write(`\r\x1b[K${FRAMES[frames % FRAMES.length]} ${what}${seconds > 0 ? ` (${seconds} s)` : ''}`);
    frames += 1;
    timer = setTimeout(draw, FRAME_MS);
  }
  return {
    [Symbol.dispose]() {
      isShowing = false;
      clearTimeout(timer);
      if (frames > 0) stderr.write('\r\x1b[K');
    },
  };
}
