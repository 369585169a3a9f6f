import type { ApiResult } from '../../api/types.ts'
import type { AppPath } from '../app-path.ts'

/** What a list offers, and how it is shown at first. */
export interface ListShape {
  /** Page that shows it; its rows' state stands in this page's address. */
  path: AppPath
  /** Names of `sort`, as the API has them. */
  sorts: readonly string[]
  sort: string
  order: 'asc' | 'desc'
  /** Names of the filters, each one field of the address. */
  filters: readonly string[]
  /** Columns that may be left out, in their order; all of them are shown at first. */
  columns: readonly string[]
}

/** A list as the address has it. */
export interface ListAddress {
  q: string
  sort: string
  order: 'asc' | 'desc'
  page: number
  perPage: number
  /** '' or absent: no restriction. */
  filters: Readonly<Record<string, string>>
  /** Those of `ListShape.columns` that are shown. */
  columns: readonly string[]
}

/** A page of a list, and where it stands. */
export interface ListData<Row> {
  address: ListAddress
  result: ApiResult<Row[]>
  /** Rows of all pages together. */
  total: number
}

export const PAGE_SIZES = [25, 50, 100, 200]
const PAGE_SIZE = 25

/** Columns in an address and in the cookie. */
export const columnsText = (columns: readonly string[]): string => columns.join('.')

const columnsOf = (text: string | null | undefined, shape: ListShape): readonly string[] => {
  if (text === null || text === undefined) return shape.columns
  const named = text.split('.')
  return shape.columns.filter((column) => named.includes(column))
}

const positive = (text: string | null): number | null =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null

/**
 * Reads a list's state; what makes no sense is as if it were not there.
 * `remembered`: columns chosen earlier, as `columnsText` writes them.
 */
export const readListAddress = (
  params: URLSearchParams,
  shape: ListShape,
  remembered?: string | undefined,
): ListAddress => {
  const sort = params.get('sort') ?? ''
  const order = params.get('order')
  const perPage = positive(params.get('per_page')) ?? PAGE_SIZE
  const known = shape.sorts.includes(sort)
  return {
    q: params.get('q') ?? '',
    sort: known ? sort : shape.sort,
    order: order === 'asc' || order === 'desc' ? order : known ? 'asc' : shape.order,
    page: positive(params.get('page')) ?? 1,
    perPage: PAGE_SIZES.includes(perPage) ? perPage : PAGE_SIZE,
    filters: Object.fromEntries(
      shape.filters.flatMap((name) => (params.get(name) ? [[name, params.get(name) ?? '']] : [])),
    ),
    columns: columnsOf(params.get('columns') ?? remembered, shape),
  }
}

/** The address of a list: what is as at first is left out, foreign fields of `params` stay. */
export const writeListAddress = (
  params: URLSearchParams,
  shape: ListShape,
  address: ListAddress,
): URLSearchParams => {
  const next = new URLSearchParams(params)
  const set = (name: string, value: string, usual: string) => {
    if (value === usual) next.delete(name)
    else next.set(name, value)
  }
  set('q', address.q, '')
  for (const name of shape.filters) set(name, address.filters[name] ?? '', '')
  const asAtFirst = address.sort === shape.sort && address.order === shape.order
  set('sort', asAtFirst ? '' : address.sort, '')
  set('order', asAtFirst || address.order === 'asc' ? '' : address.order, '')
  if (!asAtFirst && address.sort === shape.sort) next.set('order', address.order)
  set('page', String(address.page), '1')
  set('per_page', String(address.perPage), String(PAGE_SIZE))
  set('columns', columnsText(address.columns), columnsText(shape.columns))
  return next
}

/** Whether anything but the page restricts what is shown. */
export const isFiltered = ({ q, filters }: ListAddress): boolean =>
  q !== '' || Object.values(filters).some((value) => value !== '')

/** The fields that the API is asked with; `filters` as the API names them. */
export const listApiQuery = (
  address: ListAddress,
  filters: Readonly<Record<string, string>> = address.filters,
): URLSearchParams =>
  new URLSearchParams({
    page: String(address.page),
    per_page: String(address.perPage),
    sort: address.sort,
    order: address.order,
    ...(address.q === '' ? {} : { q: address.q }),
    ...filters,
  })
