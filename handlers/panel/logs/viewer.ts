import type { LogViewer } from '../../services/logs/logs.ts'
import { reachOf } from '../access/policy.ts'
import type { Call } from '../frame/route.ts'

/** Whose lines may be seen, and of which machine's log; accounts have that of their own. */
export const viewerOf = ({
  caller,
  query: { host },
}: Pick<Call<unknown, { host?: string | undefined }>, 'caller' | 'query'>): LogViewer => ({
  ...reachOf(caller),
  ...(caller.role === 'admin' && host !== undefined && { host }),
})
