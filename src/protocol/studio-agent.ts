/** The user agent of requests that the studio makes by itself, to find out what a server has. */
export const STUDIO_AGENT = 'tiltyard-studio';
