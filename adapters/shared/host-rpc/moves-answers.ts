import { z } from 'zod'
import { MOVE_PIECE_BYTES } from '#handlers/ports/host/accounts/moves.ts'
import { accountSecrets } from './arguments/moves-arguments.ts'
import { change, done, few, line, ofFewParts, read, short } from './answers/answer-shapes.ts'

/** Values in what is told of one account: those of thousands of certificates and database users. */
const MOST_SECRETS = 200_000
const count = z.number().nonnegative()
const receiptAnswer = z.object({
  beganSecs: count,
  entries: count,
  bytes: count,
  removed: count,
  skipped: count,
  skippedPaths: few(line),
})

/** Answers of methods by which accounts move, by port and method. */
export const MOVES_ANSWERS = {
  moves: {
    secrets: read(ofFewParts(accountSecrets, MOST_SECRETS)),
    takeSecrets: change(
      few(
        z.object({ domain: short, files: z.object({ certificate: line, key: line, chain: line }) }),
      ),
    ),
    begin: change(done),
    read: read(
      z
        .object({
          content: z.string().max(Math.ceil(MOVE_PIECE_BYTES / 3) * 4),
          ended: z.boolean(),
        })
        .nullable(),
    ),
    write: change(done),
    receipt: read(receiptAnswer.nullable()),
    drop: change(done),
  },
}
