import { conflict, unavailable } from '../../errors.ts'
import type { MovesPort, MoveReceipt, MoveStream } from '../../ports/host/accounts/moves.ts'

/** A stream of one host. */
export interface StreamEnd {
  moves: MovesPort
  streamId: string
}

type Piece = { content: string; ended: boolean }

/** A host waits for some seconds before it says that there is nothing yet; one that does not is not asked more often. */
const PAUSE_MS = 1000
/** The account is closed meanwhile, and waits for its turn: a host that keeps it for longer gives up its move. */
const PIECE_WITHIN_MS = 3_600_000
/** A database is restored in it. */
const RECEIPT_WITHIN_MS = 12 * PIECE_WITHIN_MS

const told = async <T>(ask: () => Promise<T | null>, withinMs: number): Promise<T> => {
  const until = performance.now() + withinMs
  for (;;) {
    const askedMs = performance.now()
    const answer = await ask()
    if (answer !== null) return answer
    const nowMs = performance.now()
    if (nowMs > until)
      throw unavailable(
        `A host did not go on with the move for ${Math.round(withinMs / 3_600_000)} hours, so it was given up. Look into the log of its agent.`,
      )
    const restMs = PAUSE_MS - (nowMs - askedMs)
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
  }
}

const pieceOf = async ({ moves, streamId }: StreamEnd, number: number): Promise<Piece> => {
  const piece = await told(() => moves.read({ streamId, number }), PIECE_WITHIN_MS)
  if (piece.content === '' && !piece.ended)
    throw conflict('A host gave an empty piece of a move, and would give them for ever.')
  return piece
}

/** Begins a stream, which `work` uses; whatever becomes of it the host lets go of it. */
export const withStream = async <T>(
  moves: MovesPort,
  username: string,
  stream: MoveStream,
  work: (end: StreamEnd) => Promise<T>,
): Promise<T> => {
  const streamId = `move.${crypto.randomUUID()}`
  await moves.begin({ streamId, username, stream })
  try {
    return await work({ moves, streamId })
  } finally {
    // It ends by itself where the host is away.
    await moves.drop({ streamId }).catch(() => undefined)
  }
}

/** What became of a stream, once all is done. */
export const receiptOf = async ({ moves, streamId }: StreamEnd): Promise<MoveReceipt> =>
  told(() => moves.receipt({ streamId }), RECEIPT_WITHIN_MS)

/** Whether a stream gives anything, without taking it. */
export const isEmpty = async (from: StreamEnd): Promise<boolean> => {
  const { content, ended } = await pieceOf(from, 0)
  return ended && content === ''
}

/** Passes on what one host gives to another, which has begun to take it; reads ahead by one piece. */
export const relay = async (from: StreamEnd, to: StreamEnd): Promise<void> => {
  let next = pieceOf(from, 0)
  for (let number = 0; ; number += 1) {
    const { content, ended } = await next
    if (!ended) {
      next = pieceOf(from, number + 1)
      // It is looked at in the next turn, unless this one fails.
      next.catch(() => undefined)
    }
    await to.moves.write({ streamId: to.streamId, number, content, last: ended })
    if (ended) return
  }
}
