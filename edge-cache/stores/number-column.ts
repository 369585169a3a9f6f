/** Rows of one piece; a power of two. */
const PIECE_ROWS = 16_384
const SHIFT = 14

/**
 * Numbers by row, 0 where none was set. It grows by pieces: to copy a column of a
 * million rows would hold everybody up.
 */
export class NumberColumn {
  readonly #pieces: (Int32Array | Float64Array)[] = []
  readonly #Piece: Int32ArrayConstructor | Float64ArrayConstructor

  /** `Piece` says which numbers it takes. */
  constructor(Piece: Int32ArrayConstructor | Float64ArrayConstructor = Int32Array) {
    this.#Piece = Piece
  }

  /** 0 for a row that was never set. */
  get(row: number): number {
    return this.#pieces[row >>> SHIFT]?.[row & (PIECE_ROWS - 1)] ?? 0
  }

  /** Rows are counted from 0; the column grows up to that one. */
  set(row: number, value: number): void {
    const at = row >>> SHIFT
    while (this.#pieces.length <= at) this.#pieces.push(new this.#Piece(PIECE_ROWS))
    const piece = this.#pieces[at]
    if (piece !== undefined) piece[row & (PIECE_ROWS - 1)] = value
  }
}
