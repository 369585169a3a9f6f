import type { output, ZodObject, ZodRawShape, ZodType } from 'zod'
import { z } from 'zod'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import { numberText, oneOf, text } from './fields.ts'
import { given } from './given.ts'
import { reachOf } from '../access/policy.ts'
import type { Call, GuardedDeclaration, HeadedResponse } from './route.ts'
import { withHeaders } from './route.ts'

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
  const isPaged = page !== undefined || per_page !== undefined
  return given({
    page: isPaged ? (page ?? 1) : undefined,
    perPage: isPaged ? (per_page ?? DEFAULT_PER_PAGE) : undefined,
    sort,
    order,
    q: q || undefined,
  })
}

/** The header of a list, in the document. */
export const TOTAL_COUNT = { 'X-Total-Count': 'Number of entries without paging.' }

/** A page of a list as it is answered. */
export const counted = <Row>({ rows, total }: Page<Row>): HeadedResponse<Row[]> =>
  withHeaders(rows, { 'x-total-count': String(total) })

/** The filters among the fields of a query; those without value are left out. */
const toFilters = (query: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => (query[name] === undefined ? [] : [[name, String(query[name])]])),
  )

/** A list, as `routesOf` declares it. */
export interface ListDeclaration<Params extends ZodObject, Row extends ZodType> extends Pick<
  GuardedDeclaration<Params>,
  'summary' | 'description' | 'params' | 'errors' | 'level'
> {
  /** Fields that `sort` may name. */
  sortable: readonly [string, ...string[]]
  /** More fields of the query: what rows must have to be listed. Each optional. */
  filters?: ZodRawShape
  /** One entry of the list. */
  row: Row
  before?(call: Call<output<Params>>): void
  /** `list.accountId` is set for a caller of role `account`, `list.resellerId` too for a reseller. */
  rows(list: ListQuery, call: Call<output<Params>>): Promise<Page<output<Row>>>
}

/**
 * What a list is as a route: it takes paging, order and search, and answers a plain array
 * with the count of all pages together in `X-Total-Count`.
 */
export const listDeclaration = <Row extends ZodType, Params extends ZodObject>(
  declaration: ListDeclaration<Params, Row>,
) => {
  const { sortable, filters = {}, row, rows, ...rest } = declaration
  const names = Object.keys(filters)
  const query = listFields(sortable).extend(filters)
  return {
    ...rest,
    query,
    data: z.array(row),
    headers: TOTAL_COUNT,
    async handle(call: Call<output<Params>, output<typeof query>>) {
      const list = toListQuery(call.query)
      if (names.length > 0) list.filters = toFilters(call.query, names)
      Object.assign(list, reachOf(call.caller))
      return counted(await rows(list, call))
    },
  }
}
