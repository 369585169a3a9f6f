/** Work that may stop wherever it yields; each time it says what it did since, in units of its own. */
export type SlicedWork<Result> = Generator<number, Result, void>

/** Waits until the event loop has gone round. */
export type Pause = () => Promise<void>

/** One round of the event loop, in which others have their turn. */
export const nextRound: Pause = () => new Promise((resolve) => setTimeout(resolve, 0))

/**
 * Does work in slices of at least `unitsPerSlice` between which the event loop goes round,
 * so that no other request waits for all of it. Work of one slice is done at once. Rejects
 * with what the work throws. `pause`: default one round of the event loop.
 */
export const inSlices = async <Result>(
  work: SlicedWork<Result>,
  unitsPerSlice: number,
  pause: Pause = nextRound,
): Promise<Result> => {
  let left = unitsPerSlice
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
    left -= value
    if (left > 0) continue
    await pause()
    left = unitsPerSlice
  }
}

/** Does such work at once. Throws what it throws. */
export const atOnce = <Result>(work: SlicedWork<Result>): Result => {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}
