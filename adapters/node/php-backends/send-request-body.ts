import type { BackendConnection } from './wire/backend-connection.ts'
import type { CountedBody } from './request-body.ts'

/**
 * Sends a request's body at the pace of the slower side. `waiting` is told when a
 * piece is waited for and when it came; `isOver`: nobody wants the rest any more.
 */
export const sendRequestBody = async (
  connection: BackendConnection,
  body: CountedBody,
  { isOver, waiting }: { isOver(): boolean; waiting(forClient: boolean): void },
): Promise<void> => {
  const iterator = body.chunks()[Symbol.asyncIterator]()
  try {
    while (!isOver()) {
      waiting(true)
      const { done, value } = await iterator.next()
      waiting(false)
      if (done || isOver()) break
      await connection.writeBody(value)
    }
    if (!isOver()) connection.endBody()
  } finally {
    waiting(false)
    await iterator.return?.()
  }
}
