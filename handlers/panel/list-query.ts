import { ok } from '../envelope.ts'
import { invalid } from '../errors.ts'
import type { ListQuery, Page } from '../ports/store.ts'
import { readId } from './input.ts'

const MAX_PER_PAGE = 500

/**
 * `?page=&per_page=&sort=&order=&q=` of a list. Without `page` and `per_page`
 * everything is returned; with either the other defaults to page 1, 50 rows.
 * `sortable` are the fields that `sort` may name. Throws 400 naming the field.
 */
export const readListQuery = (query: URLSearchParams, sortable: readonly string[]): ListQuery => {
  const result: ListQuery = {}
  const page = query.get('page')
  const perPage = query.get('per_page')
  if (page !== null || perPage !== null) {
    result.page = page === null ? 1 : readId(page, 'page')
    result.perPage = perPage === null ? 50 : readId(perPage, 'per_page')
    if (result.perPage > MAX_PER_PAGE) {
      throw invalid('per_page', `per_page must be at most ${MAX_PER_PAGE}.`)
    }
  }
  const sort = query.get('sort')
  if (sort !== null) {
    if (!sortable.includes(sort)) {
      throw invalid('sort', `sort must be one of ${sortable.join(', ')}.`)
    }
    result.sort = sort
  }
  const order = query.get('order')
  if (order !== null) {
    if (order !== 'asc' && order !== 'desc') throw invalid('order', 'order must be asc or desc.')
    result.order = order
  }
  const q = query.get('q')
  if (q !== null && q !== '') {
    if (q.length > 200) throw invalid('q', 'q must be at most 200 characters.')
    result.q = q
  }
  return result
}

/** A page of a list in the envelope, with `X-Total-Count`. */
export const listResponse = <T>(page: Page<T>): Response =>
  ok(page.rows, { 'x-total-count': String(page.total) })
