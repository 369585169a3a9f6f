import type { Store } from '../../ports/store/store.ts'

type Named = Pick<
  Store,
  'accountById' | 'domainById' | 'adminById' | 'resellerById' | 'tokenById' | 'personById'
>

/** A name, and the reseller it has to do with. */
interface Found {
  name: string | undefined
  resellerId?: number | null | undefined
}

/** What ids lead to. */
export interface AuditFinding {
  /** By field; empty where they lead to nothing. */
  names: Readonly<Record<string, string>>
  /** The reseller whose account it is about; null: nobody's of them. */
  resellerId: number | null
}

/** What the ids of a request are called, and whose it is. */
export type AuditNames = (
  path: string,
  fields: Readonly<Record<string, unknown>>,
) => Promise<AuditFinding>

const idOf = (value: unknown): number | null => {
  const id = Number(value)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

/** Whose `:id` a path has. */
const KINDS: readonly (readonly [
  prefix: string,
  kind: 'account' | 'site' | 'user' | 'reseller' | 'token' | 'person',
])[] = [
  ['/api/accounts/:id', 'account'],
  ['/api/backups/accounts/:id', 'account'],
  ['/api/backups/snapshots/accounts/:id', 'account'],
  ['/api/domains/:id', 'site'],
  ['/api/users/:id', 'user'],
  ['/api/resellers/:id', 'reseller'],
  ['/api/tokens/:id', 'token'],
  ['/api/people/:id', 'person'],
]

/**
 * Finds the names of what a request is about, so that the audit log tells of people
 * and things also when they are gone. Ask before the request is carried out. Never
 * rejects: what is not found is skipped.
 */
export const createAuditNames = (store: Named): AuditNames => {
  const ofAccount = async (id: number): Promise<Found> => {
    const account = await store.accountById(id)
    return { name: account?.username, resellerId: account?.reseller_id }
  }
  const find = async (kind: (typeof KINDS)[number][1], id: number): Promise<Found> => {
    if (kind === 'account') return ofAccount(id)
    if (kind === 'user') return { name: (await store.adminById(id))?.username }
    if (kind === 'reseller') return { name: (await store.resellerById(id))?.username }
    if (kind === 'person') return { name: (await store.personById(id))?.email }
    if (kind === 'token') return { name: (await store.tokenById(id))?.name }
    const site = await store.domainById(id)
    if (site === null) return { name: undefined }
    return { ...(await ofAccount(site.account_id)), name: site.domain_name }
  }
  return async (path, fields) => {
    const kind = KINDS.find(([prefix]) => path.startsWith(prefix))?.[1]
    const asked = [
      ...(kind === undefined ? [] : [[kind, idOf(fields['id'])] as const]),
      ['account', idOf(fields['account_id'])] as const,
      ['person', idOf(fields['person_id'])] as const,
    ]
    const names: Record<string, string> = {}
    let resellerId: number | null = null
    for (const [field, id] of asked) {
      if (id === null) continue
      const found: Found = await find(field, id).catch(() => ({ name: undefined }))
      if (found.name !== undefined) names[field] = found.name
      resellerId ??= found.resellerId ?? null
    }
    return { names, resellerId }
  }
}
