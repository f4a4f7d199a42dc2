/** The key of those who play. */
export const HONEST_KEY = 'the-key-of-those-who-play';

/** The key of those who attack. */
export const HOSTILE_KEY = 'the-key-of-those-who-attack';

export const MEGABYTE: number = 2 ** 20;
