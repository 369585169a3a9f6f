import type { output, ZodObject, ZodRawShape, ZodType } from 'zod'
import { z } from 'zod'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import { numberText, oneOf, text } from './fields.ts'
import type { Call, GuardedRoute, NoFields, Route } from './route.ts'
import { route, withHeaders } from './route.ts'

const MAX_PER_PAGE = 500
const DEFAULT_PER_PAGE = 50

/** `?page=&per_page=&sort=&order=&q=`; `sortable` are the fields that `sort` may name. */
export const listFields = (sortable: readonly [string, ...string[]]) =>
  z.object({
    page: numberText('page')
      .optional()
      .describe('Page, from 1. Without page and per_page everything is returned.'),
    per_page: numberText('per_page', MAX_PER_PAGE)
      .optional()
      .describe(`Rows of a page, ${DEFAULT_PER_PAGE} when only page is given.`),
    sort: oneOf('sort', sortable)
      .optional()
      .describe('Field to sort by. Default: id, or what the list says of itself.'),
    order: z
      .enum(['asc', 'desc'], { error: 'order must be asc or desc.' })
      .optional()
      .describe('Direction of sort. Default: asc.'),
    q: text('q', 200).optional().describe('Text to be found in any textual field.'),
  })

/** The list that those fields ask for. */
export const toListQuery = (query: output<ReturnType<typeof listFields>>): ListQuery => {
  const { page, per_page, sort, order, q } = query
  return {
    ...(page === undefined && per_page === undefined
      ? {}
      : { page: page ?? 1, perPage: per_page ?? DEFAULT_PER_PAGE }),
    ...(sort === undefined ? {} : { sort }),
    ...(order === undefined ? {} : { order }),
    ...(q === undefined || q === '' ? {} : { q }),
  }
}

/** The filters among the fields of a query; those without value are left out. */
const toFilters = (query: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => (query[name] === undefined ? [] : [[name, String(query[name])]])),
  )

interface ListDefinition<Params extends ZodObject, Row extends ZodType> extends Pick<
  GuardedRoute<Params>,
  'path' | 'tag' | 'summary' | 'description' | 'action' | 'params' | 'errors'
> {
  /** Fields that `sort` may name. */
  sortable: readonly [string, ...string[]]
  /** More fields of the query: what rows must have to be listed. Each optional. */
  filters?: ZodRawShape
  /** One entry of the list. */
  row: Row
  before?(call: Call<output<Params>>): void
  /** `list.accountId` is set for a caller of role `account`. */
  rows(list: ListQuery, call: Call<output<Params>>): Promise<Page<output<Row>>>
}

/**
 * A list: a GET that takes paging, order and search, and answers a plain array
 * with the count of all pages together in `X-Total-Count`.
 */
export const listRoute = <Row extends ZodType, Params extends ZodObject = NoFields>(
  definition: ListDefinition<Params, Row>,
): Route => {
  const { sortable, filters = {}, row, rows, ...rest } = definition
  const names = Object.keys(filters)
  return route({
    ...rest,
    method: 'GET',
    query: listFields(sortable).extend(filters),
    data: z.array(row),
    headers: { 'X-Total-Count': 'Number of entries without paging.' },
    async handle(call) {
      const list = toListQuery(call.query)
      if (names.length > 0) list.filters = toFilters(call.query, names)
      if (call.caller.accountId !== null) list.accountId = call.caller.accountId
      const page = await rows(list, call as Call<output<Params>>)
      return withHeaders(page.rows, { 'x-total-count': String(page.total) })
    },
  })
}
