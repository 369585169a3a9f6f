import type { Component } from 'svelte'

/** A column of a list. */
export interface ListColumn {
  id: string
  label: string
  /** What `sort` of the API calls it; absent: not sorted by. */
  sort?: string
  /** Of head and cells, e.g. below which width it gives way. */
  class?: string
  /** Of the cells alone. */
  cell?: string
}

/** An action on the rows that are chosen. */
export interface BulkAction<Row> {
  label: string
  icon: Component<{ size?: number; strokeWidth?: number }>
  danger?: boolean
  /** To how many of them it applies; with 0 it cannot be chosen. */
  applies?: (rows: Row[]) => number
  run: (rows: Row[]) => unknown
}

/** An entry of a row's menu. */
export interface RowAction {
  label: string
  icon: Component<{ size?: number; strokeWidth?: number }>
  danger?: boolean
  /** Why it cannot be done now. */
  blocked?: string | undefined
  run: () => unknown
}
