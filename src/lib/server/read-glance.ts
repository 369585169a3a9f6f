import { redirect, type RequestEvent } from '@sveltejs/kit'
import { parseResult } from '$lib/api/parse-result'
import type { ApiResult } from '$lib/api/types'
import { entrancePath } from './read-api'

/** The first rows of a list, and how many there are. */
export interface Glance<Row> {
  result: ApiResult<Row[]>
  total: number
}

/** Reads the rows that `path` with its query asks for. */
export const readGlance = async <Row>(
  event: Pick<RequestEvent, 'fetch' | 'url' | 'locals' | 'cookies'>,
  path: string,
): Promise<Glance<Row>> => {
  const response = await event.fetch(path)
  if (response.status === 401) redirect(303, await entrancePath(event))
  const total = Number(response.headers.get('x-total-count') ?? 0)
  return { result: await parseResult<Row[]>(response), total }
}
