/** What the pieces of files of all responses of a worker may hold before new ones stay small. */
const BUDGET_BYTES = 128 * 1024 * 1024

let heldBytes = 0

/** Counts the bytes of files that clients have not taken yet, over all responses of a worker. */
export const pieceBudget = {
  add(bytes: number): void {
    heldBytes += bytes
  },
  remove(bytes: number): void {
    heldBytes -= bytes
  },
  /** Whether there is room for large pieces and for reading ahead. */
  hasRoom: (): boolean => heldBytes < BUDGET_BYTES,
  /** For tests. */
  heldBytes: (): number => heldBytes,
}
