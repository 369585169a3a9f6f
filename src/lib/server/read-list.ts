import type { RequestEvent } from '@sveltejs/kit'
import { columnsCookie } from '$lib/state/lists/columns-cookie'
import {
  listApiQuery,
  readListAddress,
  type ListAddress,
  type ListData,
  type ListShape,
} from '$lib/state/lists/list-address'
import { readGlance } from './read-glance'

type LoadEvent = Pick<RequestEvent, 'fetch' | 'url' | 'locals' | 'cookies'>

/**
 * Reads the page of a list that the address asks for. Behind the last page,
 * e.g. when its rows were deleted, it is the last one. `toApi` turns filters
 * into the API's, where they differ.
 */
export const readList = async <Row>(
  event: LoadEvent,
  shape: ListShape,
  apiPath: string,
  toApi: (filters: ListAddress['filters']) => Record<string, string> = (filters) => ({
    ...filters,
  }),
): Promise<ListData<Row>> => {
  const remembered = event.cookies.get(columnsCookie(shape))
  const ask = async (address: ListAddress): Promise<ListData<Row>> => {
    const query = listApiQuery(address, toApi(address.filters))
    return { address, ...(await readGlance<Row>(event, `${apiPath}?${query}`)) }
  }
  const wanted = readListAddress(event.url.searchParams, shape, remembered)
  const list = await ask(wanted)
  const last = Math.max(1, Math.ceil(list.total / wanted.perPage))
  return wanted.page > last && list.result.ok ? ask({ ...wanted, page: last }) : list
}
