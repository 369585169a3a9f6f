/** Larger pages are not stored. */
export const MAX_ENTRY_BYTES = 8 * 2 ** 20
/** How long a page that proved uncacheable is not waited for. */
export const UNCACHEABLE_MS = 10_000
/** How long a request waits for another's fill before it asks the origin itself. */
export const FOLLOW_MS = 30_000
/** How long the last bytes of a stored page wait for the lower layer. */
export const STORE_WAIT_MS = 250
/** How long the origin may take before a stale page that may stand in for its error does. */
export const ERROR_WAIT_MS = 10_000
