import { error, redirect } from '@sveltejs/kit'
import { parseResult } from '$lib/api/parse-result'
import type {
  Account,
  AccountLimits,
  ApiResult,
  AuditEntry,
  Backup,
  Database,
  Domain,
  PhpSettings,
} from '$lib/api/types'
import { entrancePath, readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

/** Rows of each card; the lists have the rest. */
const SHOWN = 5
const EVENTS = 8

/** The first rows of a list, and how many there are. */
export interface Glance<Row> {
  result: ApiResult<Row[]>
  total: number
}

export const load: PageServerLoad = async (event) => {
  event.depends('berth:accounts')
  const { me } = await event.parent()
  const { username } = event.params
  const glance = async <Row>(path: string, query: string): Promise<Glance<Row>> => {
    const response = await event.fetch(`${path}?${query}`)
    if (response.status === 401) redirect(303, await entrancePath(event))
    const total = Number(response.headers.get('x-total-count') ?? 0)
    return { result: await parseResult<Row[]>(response), total }
  }
  const found = await readApi<Account[]>(
    event,
    `/api/accounts?username=${encodeURIComponent(username)}`,
  )
  if (!found.ok) return { account: found, details: null }
  const [account] = found.data
  if (account === undefined) error(404, 'Page not found')
  const { id } = account
  const [limits, domains, databases, backups, php, events] = await Promise.all([
    readApi<AccountLimits>(event, `/api/accounts/${id}/limits`),
    glance<Domain>(`/api/domains/account/${id}`, `sort=domain_name&per_page=${SHOWN}`),
    glance<Database>(`/api/databases/${id}`, `sort=database&per_page=${SHOWN}`),
    glance<Backup>(`/api/backups/accounts/${id}`, `per_page=${SHOWN}`),
    readApi<PhpSettings>(event, `/api/php/config/${id}`),
    me.role === 'admin'
      ? readApi<AuditEntry[]>(event, `/api/audit?account_id=${id}&per_page=${EVENTS}`)
      : null,
  ])
  const own: ApiResult<Account> = { ok: true, data: account }
  return { account: own, details: { limits, domains, databases, backups, php, events } }
}
