/** What this server asks for; the others do not look at it, and get it all the same. */
export const API_KEY = 'key-of-the-benchmark';
