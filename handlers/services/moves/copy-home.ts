import type { MovesPort, MoveReceipt } from '../../ports/host/accounts/moves.ts'
import { isEmpty, receiptOf, relay, withStream } from './relay.ts'

/** Paths of what is left out that are told. */
const MOST_PATHS = 20

/** What a copy of a home has done. */
export interface CopiedHome extends Pick<
  MoveReceipt,
  'entries' | 'bytes' | 'removed' | 'skipped' | 'skippedPaths'
> {
  /** By the source's clock, when its list was begun. */
  beganSecs: number
}

/**
 * Makes the home at the target what it is at the source: what is other is sent, what is gone there
 * is removed. `sinceSecs`: when the source's list of an earlier copy began, since which files may have
 * changed without looking so.
 */
export const copyHome = async (
  source: MovesPort,
  target: MovesPort,
  username: string,
  sinceSecs: number | null,
): Promise<CopiedHome> =>
  withStream(source, username, { kind: 'list' }, (list) =>
    withStream(target, username, { kind: 'compare', sinceSecs }, async (compare) => {
      await relay(list, compare)
      const { beganSecs } = await receiptOf(list)
      const same = await isEmpty(compare)
      let bytes = 0
      /** What came there only after it was listed. */
      let late = { skipped: 0, skippedPaths: [] as string[] }
      if (!same)
        await withStream(source, username, { kind: 'pack' }, async (pack) => {
          await relay(compare, pack)
          await withStream(target, username, { kind: 'unpack' }, async (unpack) => {
            await relay(pack, unpack)
            const done = await receiptOf(unpack)
            bytes = done.bytes
            late = done
          })
        })
      const { entries, removed, ...listed } = await receiptOf(compare)
      const skippedPaths = [...listed.skippedPaths, ...late.skippedPaths].slice(0, MOST_PATHS)
      const skipped = listed.skipped + late.skipped
      return { beganSecs, entries, removed, skipped, skippedPaths, bytes }
    }),
  )
