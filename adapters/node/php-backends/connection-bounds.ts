/** How many connections to one PHP backend a worker may have. */
export interface ConnectionBounds {
  /** At a time. */
  limit: number
  /** Of these, how many go on from request to request as long as there are any; the others make room for those who wait. */
  share: number
}

/** Connections of all workers that may wait to be accepted; half of what the kernel keeps for PHP's socket. */
const WAITING_ROOM = 256

/**
 * Bounds for a worker where PHP has `maxChildren` processes. All the visitors of a
 * site may be at one worker (one HTTP/2 connection is), so each may occupy all of
 * PHP. Connections on top of that wait in the kernel's queue, first come first
 * served over all workers.
 */
export const connectionBounds = (maxChildren: number, workers: number): ConnectionBounds => {
  const share = Math.max(1, Math.floor(maxChildren / workers))
  const room = Math.floor(WAITING_ROOM / workers)
  return { limit: Math.max(share, Math.min(maxChildren, room)), share }
}
