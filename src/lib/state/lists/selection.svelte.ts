import { SvelteMap } from 'svelte/reactivity'

/** Rows that are chosen in a list; they stay chosen on other pages of it. */
export class Selection<Row> {
  readonly #rows = new SvelteMap<string, Row>()
  readonly #keyOf: (row: Row) => string

  constructor(keyOf: (row: Row) => string) {
    this.#keyOf = keyOf
  }

  get size(): number {
    return this.#rows.size
  }

  get rows(): Row[] {
    return [...this.#rows.values()]
  }

  has(row: Row): boolean {
    return this.#rows.has(this.#keyOf(row))
  }

  set(rows: readonly Row[], chosen: boolean): void {
    for (const row of rows) {
      if (chosen) this.#rows.set(this.#keyOf(row), row)
      else this.#rows.delete(this.#keyOf(row))
    }
  }

  clear(): void {
    this.#rows.clear()
  }

  /** What was read again takes the place of what was known of it. */
  update(rows: readonly Row[]): void {
    for (const row of rows) if (this.has(row)) this.#rows.set(this.#keyOf(row), row)
  }
}
