import { goto } from '$app/navigation'
import { resolve } from '$app/paths'
import { navigating, page } from '$app/state'
import type { AppPath } from '../app-path'
import { rememberColumns } from './columns-cookie'
import { writeListAddress, type ListAddress, type ListShape } from './list-address'

const TYPING_MS = 250

/** Moves a list from one state to another through the address, so that back, reload and copying work. */
export class ListView {
  readonly #shape: () => ListShape
  readonly #address: () => ListAddress
  #typing: ReturnType<typeof setTimeout> | undefined

  constructor(shape: () => ListShape, address: () => ListAddress) {
    this.#shape = shape
    this.#address = address
  }

  /** For ids of its controls. */
  get id(): string {
    return `list${this.#shape().path.replace(/\W/g, '-')}`
  }

  /** Another page of the same list is on its way. */
  get pending(): boolean {
    return navigating.to !== null && navigating.to.url.pathname === page.url.pathname
  }

  /** Whatever changes but page and columns leads to the first page. */
  go(
    change: Partial<ListAddress>,
    { replaceState = false, invalidateAll = false } = {},
  ): Promise<void> {
    clearTimeout(this.#typing)
    const stays = 'page' in change || 'columns' in change
    const next = { ...this.#address(), ...(stays ? {} : { page: 1 }), ...change }
    const query = writeListAddress(page.url.searchParams, this.#shape(), next).toString()
    const path: AppPath = query === '' ? this.#shape().path : `${this.#shape().path}?${query}`
    return goto(resolve(path), { replaceState, invalidateAll, keepFocus: true, noScroll: true })
  }

  /** Follows typing after a moment; only the first letter makes a step back possible. */
  search(q: string): void {
    clearTimeout(this.#typing)
    this.#typing = setTimeout(() => {
      const { q: shown } = this.#address()
      if (q !== shown) void this.go({ q }, { replaceState: shown !== '' })
    }, TYPING_MS)
  }

  filter(name: string, value: string): Promise<void> {
    return this.go({ filters: { ...this.#address().filters, [name]: value } })
  }

  showColumns(chosen: readonly string[]): Promise<void> {
    const columns = this.#shape().columns.filter((column) => chosen.includes(column))
    rememberColumns(this.#shape(), columns)
    // The usual columns have no place in the address: it may be the same as before.
    return this.go({ columns }, { replaceState: true, invalidateAll: true })
  }

  clear(): Promise<void> {
    return this.go({ q: '', filters: {} })
  }

  /** Shows the newest rows first: there is what was just made. */
  newestFirst(sort: string): Promise<void> {
    return this.go({ q: '', filters: {}, sort, order: 'desc' })
  }
}
