/** What the server takes from a client. */
export interface Limits {
  /** The largest body. */
  bodyBytes: number;
  /** The largest block of headers. */
  headerBytes: number;
  /** How long an idle connection is kept: longer than the pools of common clients, so that they do not meet a reset. */
  keepAliveMs: number;
  /** How long a stopping server, its sessions ended, waits for clients to send and read what is under way. */
  closeMs: number;
}

/** What a server uses unless told otherwise. */
export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 16 * 1024 * 1024,
  // Secrets may come as a header of up to 64 KB; the rest of the block needs room as well.
  headerBytes: 80 * 1024,
  keepAliveMs: 65_000,
  closeMs: 5_000,
};
