/** Numbers that look random, and are the same for the same seed. */
export interface Random {
  /** A whole number from 0 to below the limit. */
  below(limit: number): number;
  /** One of several. */
  pick<Each>(from: readonly Each[]): Each | undefined;
  /** The same in another order. */
  shuffle<Each>(items: readonly Each[]): Each[];
}

/** Starts over with a seed. */
export function seededRandom(seed: number): Random {
  // A step of Weyl's sequence, and a mix of its bits: enough for choices that nobody wants to guess.
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    below,
    pick: (from) => from[below(from.length)],
    shuffle(items) {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)[0] as (typeof items)[number]);
    },
  };
}
