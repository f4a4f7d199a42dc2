/** Waits for work, but not for ever: false says that the time was up first. Work that throws counts as done. */
export async function settlesWithin(work: PromiseLike<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, limitMs, false);
  });
  const done = Promise.resolve(work).then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([done, limit]);
  } finally {
    clearTimeout(timer);
  }
}
