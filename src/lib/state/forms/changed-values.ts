import { callApi } from '$lib/api/call-api'
import type { ApiResult } from '$lib/api/types'

/** What of `wanted` is not so yet: a change sends nothing else. */
export const changedValues = <T extends object>(known: T, wanted: Partial<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name as keyof T]),
    ),
  ) as Partial<T>

/** Sends what is changed; null: nothing is. */
export const changeCall = <Data>(path: string, changes: object): Promise<ApiResult<Data>> | null =>
  Object.keys(changes).length === 0 ? null : callApi<Data>('PATCH', path, changes)
