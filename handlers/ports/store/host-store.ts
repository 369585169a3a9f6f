import type { CertificateFiles } from '../host/certificates.ts'
import type { VirtualHostSpec } from '../host/web-server.ts'
import type { OperationRow, Timestamp } from './records.ts'

/** How a host stands: invited, of use, taking no new accounts, not answering, or given up. */
export type HostState = 'joining' | 'open' | 'closed' | 'away' | 'gone'

/** Id of the machine that the panel itself runs on. */
export const LOCAL_HOST = 0

/** A machine that this panel manages; `LOCAL_HOST` is its own. */
export interface HostRow {
  id: number
  /** What people call it; unique. */
  name: string
  role: 'host' | 'front'
  /** `address:port` of its link. */
  address: string
  /** What it is called in calls and certificates; never given again. */
  link_id: string
  /** The one that it must show (PEM); null until it has joined. */
  certificate: string | null
  /** One that it may show as well, for it is to take the place of the other; null: none is. */
  next_certificate: string | null
  /** What proves that a machine was given the token: a public key; null once it has joined. */
  join_key: string | null
  /** Until when it may join, in seconds since 1970; null once it has joined. */
  join_until_secs: number | null
  state: HostState
  /** Its part of new accounts beside others. */
  weight: number
  /** When it last answered, in seconds since 1970; null: never. */
  seen_secs: number | null
  /** Probes since then that it did not answer. */
  misses: number
  /** What is free of the disk that holds the homes; null: not known. */
  disk_free_percent: number | null
  /** Versions of PHP that are installed there, as JSON. */
  php_versions: string
  /** Version of the list of panels that it has; 0: not known. */
  trust_version: number
  created_at: Timestamp
}

/** What a probe has learnt. */
export type HostFacts = Pick<HostRow, 'disk_free_percent' | 'php_versions'>

/** What a host must be for a new account to be placed on it. */
export interface PlaceDemand {
  /** It must have answered since, in seconds since 1970; the panel's own machine need not. */
  seenSinceSecs: number
  /** Percent of its disk that must be free. */
  diskFreePercent: number
  /** A version of PHP that must be installed there. Default: any. */
  phpVersion?: string | undefined
}

/** A host beside what is on it. */
export type HostWithAccounts = HostRow & { accounts: number }

/** Part of the store: other machines. */
export interface HostStore {
  /** The panel's own machine first, then by name. */
  listHosts(): Promise<HostWithAccounts[]>
  /** Others than the panel's own that did not answer so many probes in a row, by name. */
  hostsThatMissed(probes: number): Promise<HostRow[]>
  /** Null where there is none. */
  hostById(id: number): Promise<HostRow | null>
  /** Id of the host that an account is on; null: there is no such account. */
  hostOfAccount(username: string): Promise<number | null>
  /** Id of the host that a domain is on, by its own name or an alias of it; null: there is no such domain. */
  hostOfDomain(domain: string): Promise<number | null>
  /** Where a new account may be placed, fewest accounts for its weight first. */
  hostsWithRoom(demand: PlaceDemand): Promise<HostRow[]>
  /** Null where there is none. */
  hostByName(name: string): Promise<HostRow | null>
  /** Name and `link_id` are unique. */
  insertHost(row: Omit<HostRow, 'id'>): Promise<HostRow | 'duplicate'>
  /** Once for each invitation: null where it is not `joining` by this key any more. */
  openHost(id: number, joinKey: string, certificate: string): Promise<HostRow | null>
  /** Opens or closes it to new accounts, weighs it anew, or notes where it is reached. Null where it is not there, or has not joined. */
  changeHost(
    id: number,
    change: Partial<Pick<HostRow, 'weight' | 'address'> & { state: 'open' | 'closed' }>,
  ): Promise<HostRow | null>
  /** Notes what is to follow `certificate`. False where another one counts meanwhile, or one is to follow it already. */
  nextCertificate(id: number, certificate: string, next: string): Promise<boolean>
  /** The one that was to follow is the host's now, or, as it never came to be, none is to follow. */
  settleCertificate(id: number, next: string, became: 'used' | 'lost'): Promise<void>
  /** It answered. */
  hostAnswered(id: number, seenSecs: number, facts?: HostFacts): Promise<void>
  /** It did not answer a probe, and nothing else since `before`, the `seen_secs` known to whoever probed. */
  hostMissed(id: number, before: number | null): Promise<void>
  /** `in-use`: accounts are on it. Never the panel's own machine. */
  deleteHost(id: number): Promise<'gone' | 'in-use' | 'absent'>
}

/** What a move has left on the host that an account was on. */
export interface AccountCopyRow {
  username: string
  host_id: number
  /** When it is removed, in seconds since 1970. */
  until_secs: number
  /** What that host's web server answers for the account's sites until then. */
  leads: VirtualHostSpec[]
}

/** Where an account is from now on. */
export interface AccountSwitch {
  accountId: number
  from: number
  to: number
  uid: number
  /** Absolute paths of its home. */
  home: { from: string; to: string }
  certificates: { domain: string; files: CertificateFiles }[]
  copy: AccountCopyRow
  at: Timestamp
}

/** Part of the store: accounts that move between hosts. */
export interface MoveStore {
  /** All in one batch, with opening `operation`; false where the account is not on `from` any more. */
  switchAccount(to: AccountSwitch, operation: OperationRow): Promise<boolean>
  /** Of all hosts, by username. */
  listAccountCopies(): Promise<AccountCopyRow[]>
  /** Records one, or what it is now. */
  putAccountCopy(row: AccountCopyRow): Promise<void>
  /** Forgets it; none is no error. */
  deleteAccountCopy(copy: Pick<AccountCopyRow, 'username' | 'host_id'>): Promise<void>
}
