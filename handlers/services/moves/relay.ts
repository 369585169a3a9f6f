import type { MovesPort, MoveReceipt, MoveStream } from '../../ports/host/accounts/moves.ts'

/** A stream of one host. */
export interface StreamEnd {
  moves: MovesPort
  streamId: string
}

type Piece = { content: string; ended: boolean }

const pieceOf = async ({ moves, streamId }: StreamEnd, number: number): Promise<Piece> => {
  for (;;) {
    const piece = await moves.read({ streamId, number })
    if (piece !== null) return piece
  }
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
export const receiptOf = async ({ moves, streamId }: StreamEnd): Promise<MoveReceipt> => {
  for (;;) {
    const receipt = await moves.receipt({ streamId })
    if (receipt !== null) return receipt
  }
}

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
