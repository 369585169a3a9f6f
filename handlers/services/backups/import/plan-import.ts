import { parseDomainName } from '../../../domain/domains/domain-name.ts'
import { parseSiteName } from '../../../domain/domains/site-name.ts'
import { parseUsername } from '../../../domain/accounts/username.ts'
import { conflict, invalid } from '../../../errors.ts'
import type {
  AccountRecord,
  ArchiveFacts,
  ArchivedDomain,
} from '../../../ports/host/backups/archived-records.ts'
import type { DatabaseGrant } from '../../../ports/host/databases/database-users.ts'
import type { DatabaseMove } from '../../../ports/host/backups/imports.ts'

/** What the administrator wants otherwise than it stands in the archive. */
export interface ImportChoices {
  username?: string | undefined
  /** In place of the primary domain; names below it follow. */
  domain?: string | undefined
  /** New name by old one; null: it is left out. */
  domains?: Readonly<Record<string, string | null>> | undefined
  email?: string | undefined
  plan?: string | undefined
  /** In place of the one that the account had. */
  password?: string | undefined
  /** Whether paths of the home there, in known configuration files and cron jobs, are pointed at the home here. */
  fix_configs?: boolean | undefined
}

/** A domain, and the name that it had. */
export interface PlannedDomain {
  from: string | null
  to: string
  settings: ArchivedDomain | null
}

export interface PlannedDatabase extends DatabaseMove {
  /** Without the username before them. */
  name: string
  user: string
}

/** A further user of databases, with names that it and they have here. */
export interface PlannedDatabaseUser extends DatabaseMove {
  /** Without the username before it. */
  name: string
  grants: DatabaseGrant[]
}

/** What an import makes of an archive. */
export interface ImportPlan {
  username: string
  email: string
  plan: string
  /** Overrides of the plan's, in megabytes. */
  diskQuotaMb: number | undefined
  bandwidthQuotaMb: number | undefined
  primary: PlannedDomain
  /** Beside the primary one, sites before their aliases and parents before what is below. */
  domains: PlannedDomain[]
  databases: PlannedDatabase[]
  databaseUsers: PlannedDatabaseUser[]
  /** Of sites that keep their names. */
  certificates: string[]
}

const told = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

/** What an import needs and not every archive tells. */
export const NEEDED_CHOICES = ['domain', 'email', 'plan'] as const
export type NeededChoice = (typeof NEEDED_CHOICES)[number]

/** Those that neither the archive tells nor anybody chose. */
export const missingChoices = (
  record: AccountRecord | null,
  choices: ImportChoices,
): NeededChoice[] =>
  NEEDED_CHOICES.filter((field) => {
    if (choices[field] !== undefined) return false
    if (field === 'domain')
      return record?.domains.some((one) => one.domain_type === 'primary') !== true
    return told(record?.account[field]) === undefined
  })

/** Says that a choice is needed. */
export const neededChoice = (field: NeededChoice): string =>
  `${field} is required: the archive does not tell it.`

const withoutPrefix = (name: string, username: string): string => {
  if (name.startsWith(`${username}_`)) return name.slice(username.length + 1)
  throw conflict(`The archive is refused: the database ${name} is not one of ${username}.`)
}

/** How names of the archive are called here; null: left out. */
const naming = (
  primary: string,
  { domain, domains = {} }: ImportChoices,
): ((name: string) => string | null) => {
  const chosen = new Map(Object.entries(domains))
  if (domain !== undefined) chosen.set(primary, domain)
  return (name) => {
    const own = chosen.get(name)
    if (own !== undefined) return own
    for (const [from, to] of chosen)
      if (to !== null && name.endsWith(`.${from}`)) return name.slice(0, -from.length) + to
    return name
  }
}

const labels = (name: string): number => name.split('.').length

const inOrder = (a: PlannedDomain, b: PlannedDomain): number =>
  Number(a.settings?.domain_type === 'alias') - Number(b.settings?.domain_type === 'alias') ||
  labels(a.to) - labels(b.to)

/** The quota that was the account's own; undefined: the plan's. */
const ownQuota = (
  { account, plan }: AccountRecord,
  field: 'disk_quota_mb' | 'bandwidth_quota_mb',
): number | undefined => (account[field] === plan[field] ? undefined : account[field])

/**
 * What becomes of an archive whose record was checked. Throws 400 for a name that is
 * none, and for what an archive of version 1 does not tell and nobody chose.
 */
export const planImport = (
  facts: Pick<ArchiveFacts, 'username' | 'databases' | 'databaseUsers' | 'hasSecrets'>,
  record: AccountRecord | null,
  choices: ImportChoices,
): ImportPlan => {
  const username = parseUsername(choices.username ?? facts.username)
  const databases = facts.databases.map(({ engine, database, user }) => {
    const name = withoutPrefix(database, facts.username)
    return {
      engine,
      from: database,
      to: `${username}_${name}`,
      name,
      user: withoutPrefix(user ?? database, facts.username),
    }
  })
  const here = (full: string): string => `${username}_${withoutPrefix(full, facts.username)}`
  const databaseUsers = facts.databaseUsers.map(({ engine, user, grants }) => ({
    engine,
    from: user,
    to: here(user),
    name: withoutPrefix(user, facts.username),
    grants: grants.map(({ database, rights }) => ({ database: here(database), rights })),
  }))
  const email = choices.email ?? told(record?.account.email)
  const plan = choices.plan ?? told(record?.account.plan)
  if (email === undefined) throw invalid('email', neededChoice('email'))
  if (plan === undefined) throw invalid('plan', neededChoice('plan'))
  const first = record?.domains.find((one) => one.domain_type === 'primary')
  const named = naming(first?.domain_name ?? '', choices)
  const wanted = first === undefined ? choices.domain : named(first.domain_name)
  if (wanted === null)
    throw invalid(
      'domains',
      'domains: the primary domain cannot be left out. Give it another name.',
    )
  if (wanted === undefined) throw invalid('domain', neededChoice('domain'))
  const domains = (record?.domains ?? []).flatMap((settings): PlannedDomain[] => {
    if (settings === first) return []
    if (settings.domain_type === 'primary')
      throw conflict('The archive is refused: it names two primary domains.')
    const to = named(settings.domain_name)
    if (to === null) return []
    return [{ from: settings.domain_name, to: parseSiteName(to, 'domains'), settings }]
  })
  const primary: PlannedDomain = {
    from: first?.domain_name ?? null,
    to: parseDomainName(wanted, 'domain'),
    settings: first ?? null,
  }
  const kept = new Set(
    [primary, ...domains].filter(({ from, to }) => from === to).map(({ to }) => to),
  )
  return {
    username,
    email,
    plan,
    diskQuotaMb: record === null ? undefined : ownQuota(record, 'disk_quota_mb'),
    bandwidthQuotaMb: record === null ? undefined : ownQuota(record, 'bandwidth_quota_mb'),
    primary,
    domains: domains.sort(inOrder),
    databases,
    databaseUsers,
    certificates: facts.hasSecrets
      ? (record?.certificates ?? []).map(({ domain }) => domain).filter((name) => kept.has(name))
      : [],
  }
}
