import { conflict } from '../../errors.ts'
import type { MovesPort } from '../../ports/host/accounts/moves.ts'
import type { Journal } from '../journal/journal.ts'

/** Between two questions to the records, which know who waits at other instances of the panel. */
const ASK_MS = 1000

/**
 * Rejects as soon as a suspension or deletion waits for the account: files may be copied for hours,
 * and who must be closed is closed at once. 409
 */
export const givingWay = (
  journal: Pick<Journal, 'isUrged'>,
  username: string,
): (() => Promise<void>) => {
  let askedMs = Number.NEGATIVE_INFINITY
  return async () => {
    const nowMs = performance.now()
    if (nowMs - askedMs < ASK_MS) return
    askedMs = nowMs
    if (await journal.isUrged(username))
      throw conflict(
        `The move was given up, for a suspension or deletion of ${username} came meanwhile. Move it again after that.`,
      )
  }
}

/** Streams of a host that are asked for only while `goesOn` does not reject. Giving one up is always possible. */
export const heeding = (moves: MovesPort, goesOn: () => Promise<void>): MovesPort => {
  const first =
    <Input, Output>(ask: (input: Input) => Promise<Output>) =>
    async (input: Input): Promise<Output> => {
      await goesOn()
      return ask(input)
    }
  return {
    secrets: (input) => moves.secrets(input),
    takeSecrets: (input) => moves.takeSecrets(input),
    begin: first((input) => moves.begin(input)),
    read: first((input) => moves.read(input)),
    write: first((input) => moves.write(input)),
    receipt: first((input) => moves.receipt(input)),
    drop: (input) => moves.drop(input),
  }
}
