import { isAppError } from '../../errors.ts'
import type { Audit } from '../../services/audit/audit.ts'
import type { AuditFinding, AuditNames } from '../../services/audit/names.ts'
import type { Caller } from '../access/caller.ts'
import { changesSomething } from '../access/policy.ts'
import type { Route } from '../frame/route.ts'

/** Fields of a body, or of a query without one, that say what a request is about; no other field is ever noted. */
const TELLING = [
  'account_id',
  'account_ids',
  'username',
  'role',
  'domain',
  'domain_name',
  'db_name',
  'engine',
  'path',
  'from',
  'to',
  'name',
  'address',
  'filename',
  'what',
  'plan',
  'status',
  'version',
  'mode',
  'scopes',
] as const

const MAX_VALUE = 160

const text = (value: unknown): string | null => {
  if (Array.isArray(value)) return value.map(text).join(',')
  if (typeof value !== 'string' && typeof value !== 'number') return null
  // A value must not pass for a further field: entries are found by account through them.
  return String(value)
    .slice(0, MAX_VALUE)
    .replace(/ (?=\w+=)/g, '%20')
}

const fieldsOf = (sent: unknown): Record<string, unknown> =>
  (typeof sent === 'object' && sent !== null ? sent : {}) as Record<string, unknown>

/** What a request concerns, e.g. `id=3 path=public_html/a.txt account=alice`. */
const targetOf = (
  path: string,
  params: Readonly<Record<string, string>>,
  sent: unknown,
  names: Readonly<Record<string, string>>,
): string => {
  const fields = fieldsOf(sent)
  // Of whom is invited nothing else is known; the address of an account is its own affair.
  const telling = path.endsWith('/invitations') ? [...TELLING, 'email'] : TELLING
  const told = telling.flatMap((name) => {
    const value = Object.hasOwn(fields, name) ? text(fields[name]) : null
    return value === null ? [] : [`${name}=${value}`]
  })
  const said = Object.entries(names).map(([name, value]) => `${name}=${text(value) ?? ''}`)
  const given = Object.entries(params).map(([name, value]) => `${name}=${value}`)
  return [...given, ...told, ...said].join(' ')
}

/** What became known of a request while it was served. */
export interface Trace {
  caller: Caller | null
  /** What the ids of its path are called, by field; null before it was asked. */
  found: AuditFinding | null
  /** The body, or the query of a route that takes none. */
  sent: unknown
}

/** One request for the audit log. */
export interface Traced {
  route: Route
  /** As they stand in the path. */
  params: Readonly<Record<string, string>>
  clientAddress: string
}

const statusOf = (error: unknown): number => (isAppError(error) ? error.status : 500)

/**
 * Serves a request and notes it, if it changes something and somebody is known
 * who asked for it. What nobody could be held to account for is left out:
 * anybody could fill the log with it. Logins note themselves.
 */
export const withAuditTrail = async (
  audit: Audit,
  { route, params, clientAddress }: Traced,
  nameOf: AuditNames,
  serve: (trace: Trace) => Promise<Response>,
): Promise<Response> => {
  const trace: Trace = { caller: null, found: null, sent: undefined }
  const note = async (status: number): Promise<void> => {
    const { caller, sent } = trace
    if (caller === null || !changesSomething(route)) return
    const isPerson = caller.user.role === 'person'
    const { account_id = isPerson ? caller.accountId : undefined } = fieldsOf(sent)
    const named = await nameOf('', { account_id })
    // What somebody may not touch is not called by its name where he can read it.
    const hidden = caller.role !== 'admin' && (status === 403 || status === 404)
    const names = hidden ? {} : { ...trace.found?.names, ...named.names }
    // A person's name alone does not say in which account it was at work.
    const target = targetOf(route.path, params, sent, names)
    const place = `account_id=${caller.accountId}`
    const isPlaced = !isPerson || ` ${target} `.includes(` ${place} `)
    audit.record({
      actor: caller.username,
      role: caller.role,
      via:
        caller.actingAdmin ?? (caller.apiToken === null ? null : `token ${caller.apiToken.name}`),
      action: `${route.method} ${route.path}`,
      summary: route.summary,
      target: isPlaced ? target : `${place} ${target}`.trim(),
      address: clientAddress,
      status,
      reseller_id: caller.resellerId ?? trace.found?.resellerId ?? named.resellerId,
    })
  }
  try {
    const response = await serve(trace)
    await note(response.status)
    return response
  } catch (error) {
    await note(statusOf(error))
    throw error
  }
}
