/** Filter, order and page of a list; absent means everything, ordered by id. */
export interface ListQuery {
  page?: number
  perPage?: number
  sort?: string
  order?: 'asc' | 'desc'
  /** Substring searched in the textual columns. */
  q?: string
  accountId?: number
  /** Only what belongs to accounts of this reseller. */
  resellerId?: number
  /** Values that rows must have, by the list's own names of filters; a store ignores others. */
  filters?: Readonly<Record<string, string>>
}

/** Rows of a list, all of them or one page. */
export interface Page<T> {
  rows: T[]
  /** Count without paging. */
  total: number
}
