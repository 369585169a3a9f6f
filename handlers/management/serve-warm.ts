import { conflict, unavailable } from '../errors.ts'
import { readWarm } from './warm-input.ts'
import type { WarmPort, WarmReceipt } from './warm-port.ts'

/** Given per URL that found the queue full. */
export const QUEUE_FULL = 'queue full'

/**
 * `POST /api/v1/cache/warm`. 409 when warming is switched off; 503 when not one
 * target found room. A queue that fills up under way rejects single URLs.
 */
export const serveWarm = async (
  request: Request,
  warm: WarmPort | undefined,
): Promise<WarmReceipt> => {
  const closed = warm === undefined ? 'This server does not warm pages.' : warm.closed()
  if (warm === undefined || closed !== null) throw conflict(closed ?? '')
  const asked = await readWarm(request)
  const receipt = await warm.submit(asked)
  const { queued, duplicates, rejected } = receipt
  const full = rejected.length > 0 && rejected.every(({ reason }) => reason === QUEUE_FULL)
  if (full && queued === 0 && duplicates === 0 && !asked.deterministic) {
    throw unavailable(
      `The warm queue is full (${receipt.queue_size} targets). Try again later, or raise cache.warm_max_queue_size.`,
    )
  }
  return receipt
}
