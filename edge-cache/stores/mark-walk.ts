import type { PurgeMarks } from '../types.ts'

/**
 * Tells of a sweep over all entries whether purges have to be looked for: marks that
 * were carried out on every entry once need not be again, since a store is given no
 * entry that is dead already.
 */
export class MarkWalk {
  #marks: PurgeMarks | null = null
  /** Changes of the marks which all entries were compared with; -1: none. */
  #done = -1
  /** Changes when the present walk began. */
  #began = -1

  /** A walk over all entries begins. */
  begin(marks: PurgeMarks): void {
    if (marks !== this.#marks) this.#done = -1
    this.#marks = marks
    this.#began = marks.changes()
  }

  /** Whether the present walk has to compare entries with the marks. */
  get looks(): boolean {
    return this.#began !== this.#done
  }

  /** The walk has come to the end. */
  end(): void {
    this.#done = this.#began
  }
}
