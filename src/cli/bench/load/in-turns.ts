/** Works through all items, so many at a time. */
export async function inTurns<Item>(
  items: readonly Item[],
  together: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(together, items.length) }, worker));
}
