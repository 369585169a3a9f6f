import type { Store } from '../../ports/store/store.ts'

type Named = Pick<Store, 'accountById' | 'domainById' | 'adminById' | 'tokenById' | 'personById'>

/** What the ids of a request are called, by field; empty where they lead to nothing. */
export type AuditNames = (
  path: string,
  fields: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, string>>>

const idOf = (value: unknown): number | null => {
  const id = Number(value)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

/** Whose `:id` a path has. */
const KINDS: readonly (readonly [
  prefix: string,
  kind: 'account' | 'site' | 'user' | 'token' | 'person',
])[] = [
  ['/api/accounts/:id', 'account'],
  ['/api/backups/accounts/:id', 'account'],
  ['/api/backups/snapshots/accounts/:id', 'account'],
  ['/api/domains/:id', 'site'],
  ['/api/users/:id', 'user'],
  ['/api/tokens/:id', 'token'],
  ['/api/people/:id', 'person'],
]

/**
 * Finds the names of what a request is about, so that the audit log tells of people
 * and things also when they are gone. Ask before the request is carried out. Never
 * rejects: what is not found is skipped.
 */
export const createAuditNames = (store: Named): AuditNames => {
  const nameOf = async (kind: (typeof KINDS)[number][1], id: number): Promise<string | null> => {
    if (kind === 'account') return (await store.accountById(id))?.username ?? null
    if (kind === 'site') return (await store.domainById(id))?.domain_name ?? null
    if (kind === 'person') return (await store.personById(id))?.email ?? null
    if (kind === 'user') return (await store.adminById(id))?.username ?? null
    return (await store.tokenById(id))?.name ?? null
  }
  return async (path, fields) => {
    const kind = KINDS.find(([prefix]) => path.startsWith(prefix))?.[1]
    const asked = [
      ...(kind === undefined ? [] : [[kind, idOf(fields['id'])] as const]),
      ['account', idOf(fields['account_id'])] as const,
      ['person', idOf(fields['person_id'])] as const,
    ]
    const names: Record<string, string> = {}
    for (const [field, id] of asked) {
      if (id === null) continue
      const name = await nameOf(field, id).catch(() => null)
      if (name !== null) names[field] = name
    }
    return names
  }
}
