import type { Component } from 'svelte'
import type { AppPath } from '$lib/state/app-path'

export type Icon = Component<{ size?: number; strokeWidth?: number }>

/** A column of a list. */
export interface ListColumn<Row = never> {
  id: string
  label: string
  /** What `sort` of the API calls it; absent: not sorted by. */
  sort?: string
  /** Of head and cells, e.g. below which width it gives way. */
  class?: string
  /** Stands at the top of a row's card on phones; if none does, the first column. */
  heading?: boolean
  /** Of the cells alone. */
  cell?: string
  /** What the cell says, and what it says on hover; absent: the list draws it. */
  text?: (row: Row) => string | number
  title?: (row: Row) => string | undefined
}

/** A column of a table that holds all its rows. */
export interface TableColumn<Row = never> extends Omit<ListColumn<Row>, 'sort'> {
  /** What it is sorted by; absent: it is not. */
  value?: (row: Row) => string | number
  /** Its name is for those who hear the page; not for columns that are sorted by. */
  unseen?: boolean
}

/** A filter of a list. */
export interface ListFilter {
  /** Its name in the address. */
  name: string
  label: string
  choices: { value: string; label: string }[]
  /** The word for no restriction. */
  all?: string
  /** Shown as a filter that is there, also without restriction. */
  always?: boolean
}

/** What stands in place of a list that has nothing to list. */
export interface EmptyList {
  icon: Icon
  text: string
  /** What to do about it: a page that it leads to, or something that it does. */
  action?: { label: string; icon?: Icon; href?: AppPath; run?: () => unknown } | undefined
}

/** An action on the rows that are chosen. */
export interface BulkAction<Row> {
  label: string
  icon: Icon
  danger?: boolean
  /** For owners of the account alone, not for developers. */
  owners?: boolean
  /** To how many of them it applies; with 0 it cannot be chosen. */
  applies?: (rows: Row[]) => number
  run: (rows: Row[]) => unknown
}

/** An entry of a row's menu. */
export interface RowAction {
  label: string
  icon: Icon
  danger?: boolean
  /** For owners of the account alone, not for developers. */
  owners?: boolean
  /** Why it cannot be done now. */
  blocked?: string | undefined
  run: () => unknown
}
