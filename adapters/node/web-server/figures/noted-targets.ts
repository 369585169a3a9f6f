import type { CountedName } from '#handlers/domain/figures/frequent-names.ts'
import { isAsset, pageName } from '#handlers/domain/figures/page-name.ts'

/** What figures make of a target, whatever site it is of. */
export interface NotedTarget {
  /** Whether it is of something that belongs to pages. */
  readonly isAsset: boolean
  /** See `pageName`. */
  readonly name: string | null
  /** Where it was counted last, and in which `turn` of its site. */
  counted: CountedName | null
  turn: number
}

/** Targets that are remembered; longer ones are not. */
const MAX_TARGETS = 2000
const MAX_LENGTH = 256

const note = (target: string): NotedTarget => ({
  isAsset: isAsset(target),
  name: pageName(target),
  counted: null,
  turn: -1,
})

/** Takes targets apart once, as long as there are not too many. */
export class NotedTargets {
  #targets = new Map<string, NotedTarget>()

  of(target: string): NotedTarget {
    if (target.length > MAX_LENGTH) return note(target)
    const known = this.#targets.get(target)
    if (known !== undefined) return known
    if (this.#targets.size >= MAX_TARGETS) this.#targets.clear()
    const noted = note(target)
    this.#targets.set(target, noted)
    return noted
  }
}
