import { untrack } from 'svelte'
import { invalidate } from '$app/navigation'
import { page } from '$app/state'
import { readListAddress, type ListAddress, type ListData, type ListShape } from './list-address'
import { ListView } from './list-view.svelte'

const LIT_MS = 3000

interface ListOptions<Row> {
  shape: ListShape
  /** The page at hand, as it was read; null where there is nothing to list from. */
  data: () => ListData<Row> | null
  /** What people call a row; its `data-` attribute holds it. */
  nameOf: (row: Row) => string
  /** Unique among all pages. Default: the name. */
  keyOf?: (row: Row) => string
  /** What the page depends on. */
  topics: readonly string[]
  /** The `sort` that has what was just made first. */
  newest?: string
}

/** A list on its page: its rows, where it stands, how it is read anew, and which row lights up. */
export class List<Row> {
  readonly shape: ListShape
  readonly view: ListView
  readonly nameOf: (row: Row) => string
  readonly keyOf: (row: Row) => string
  readonly #options: ListOptions<Row>
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Name of the row that was just made or changed: it comes into view and lights up once. */
  lit = $state<string | null>(null)

  constructor(options: ListOptions<Row>) {
    this.shape = options.shape
    this.nameOf = options.nameOf
    this.keyOf = options.keyOf ?? options.nameOf
    this.#options = options
    this.view = new ListView(
      () => this.shape,
      () => this.address,
    )
  }

  get data(): ListData<Row> | null {
    return this.#options.data()
  }

  get rows(): Row[] {
    return this.data?.result.ok ? this.data.result.data : []
  }

  get total(): number {
    return this.data?.total ?? 0
  }

  get address(): ListAddress {
    return this.data?.address ?? readListAddress(page.url.searchParams, this.shape)
  }

  readonly reload = (): Promise<unknown> =>
    Promise.all(this.#options.topics.map((topic) => invalidate(topic)))

  /** Reads it anew and shows the row of this name, on whatever page it is. */
  async show(name: string): Promise<void> {
    await this.reload()
    const names = untrack(() => this.rows.map(this.nameOf))
    if (!names.includes(name)) await this.view.newestFirst(this.#options.newest ?? 'created_at')
    clearTimeout(this.#timer)
    this.lit = name
    this.#timer = setTimeout(() => (this.lit = null), LIT_MS)
  }

  /** The same of a row. */
  readonly changed = (row: Row): Promise<void> => this.show(this.nameOf(row))
}
