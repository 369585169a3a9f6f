import { untrack } from 'svelte'
import type { ListAddress, ListShape } from './list-address'
import { ListView } from './list-view.svelte'

const LIT_MS = 3000

/** The row of a list that was just made or changed: it comes into view and lights up once. */
export class LitRow {
  name = $state<string | null>(null)
  readonly #view: ListView
  readonly #names: () => readonly string[]
  readonly #newest: string
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `names`: of the rows on the page at hand; `newest`: the `sort` that has what was just made first. */
  constructor(
    shape: ListShape,
    address: () => ListAddress,
    names: () => readonly string[],
    newest = 'created_at',
  ) {
    this.#view = new ListView(() => shape, address)
    this.#names = names
    this.#newest = newest
  }

  /** To be called once the list was read again. */
  async show(name: string): Promise<void> {
    if (!untrack(this.#names).includes(name)) await this.#view.newestFirst(this.#newest)
    clearTimeout(this.#timer)
    this.name = name
    this.#timer = setTimeout(() => (this.name = null), LIT_MS)
  }
}
