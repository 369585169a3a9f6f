import { redirect, type RequestEvent } from '@sveltejs/kit'
import { parseResult } from '$lib/api/parse-result'
import type { ApiResult } from '$lib/api/types'

type LoadEvent = Pick<RequestEvent, 'fetch' | 'url' | 'locals'>

/** Where someone without a session belongs: setup while it is open, else login, then back here. */
export const entrancePath = async (event: LoadEvent): Promise<string> => {
  if (await event.locals.panel.setupOpen()) return '/setup'
  const here = event.url.pathname + event.url.search
  return here === '/' ? '/login' : `/login?next=${encodeURIComponent(here)}`
}

/** Reads one API resource for a page; without a session it redirects, other failures are data. */
export const readApi = async <T>(event: LoadEvent, path: string): Promise<ApiResult<T>> => {
  const response = await event.fetch(path)
  if (response.status === 401) redirect(303, await entrancePath(event))
  return parseResult<T>(response)
}
