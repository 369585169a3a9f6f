/** What hooks and webhooks are told about, as `<thing>.<what happened>`. */
export const EVENT_NAMES = [
  'account.created',
  'account.changed',
  'account.suspended',
  'account.unsuspended',
  'account.deleted',
  'reseller.created',
  'reseller.suspended',
  'reseller.unsuspended',
  'reseller.deleted',
  'domain.created',
  'domain.changed',
  'domain.deleted',
  'certificate.issued',
  'certificate.renewed',
  'certificate.failed',
  'certificate.deleted',
  'backup.created',
  'backup.failed',
  'backup.overdue',
  'backup.restored',
  'backup.deleted',
  'backup.doubtful',
  'cron.failed',
  'application.created',
  'application.deployed',
  'application.failed',
  'application.deleted',
  'database_address.added',
  'database_address.removed',
  'database_user.added',
  'database_user.removed',
  'mail.failed',
  'mail.limited',
  'ssh_key.added',
  'ssh_key.removed',
  'shell.given',
  'shell.taken',
  'sftp_user.created',
  'sftp_user.removed',
] as const
/** One of `EVENT_NAMES`. */
export type EventName = (typeof EVENT_NAMES)[number]

/** Ends of operations of the journal (`<kind>:<end>`) that are an event. */
const OF_OPERATIONS: Readonly<Record<string, EventName>> = {
  'account.create:done': 'account.created',
  'account.quota:done': 'account.changed',
  'php.configure:done': 'account.changed',
  'account.suspend:done': 'account.suspended',
  'account.unsuspend:done': 'account.unsuspended',
  'account.delete:done': 'account.deleted',
  'account.move:done': 'account.changed',
  'account.relocated:done': 'account.changed',
  'reseller.create:done': 'reseller.created',
  'reseller.suspend:done': 'reseller.suspended',
  'reseller.unsuspend:done': 'reseller.unsuspended',
  'reseller.delete:done': 'reseller.deleted',
  'domain.create:done': 'domain.created',
  'domain.change:done': 'domain.changed',
  'domain.site:done': 'domain.changed',
  'domain.delete:done': 'domain.deleted',
  'certificate.install:done': 'certificate.issued',
  'certificate.install:undone': 'certificate.failed',
  'certificate.remove:done': 'certificate.deleted',
  'backup.create:done': 'backup.created',
  'backup.create:undone': 'backup.failed',
  'backup.upload:undone': 'backup.failed',
  'backup.overdue:done': 'backup.overdue',
  'backup.restore:done': 'backup.restored',
  'backup.settings:done': 'backup.restored',
  'backup.delete:done': 'backup.deleted',
  'snapshot.create:done': 'backup.created',
  'snapshot.create:undone': 'backup.failed',
  'snapshot.restore:done': 'backup.restored',
  'snapshot.delete:done': 'backup.deleted',
  'backup.prove:undone': 'backup.doubtful',
  'cron.failed:done': 'cron.failed',
  'application.create:done': 'application.created',
  'application.deployed:done': 'application.deployed',
  'application.failed:done': 'application.failed',
  'application.delete:done': 'application.deleted',
  'database_address.create:done': 'database_address.added',
  'database_address.delete:done': 'database_address.removed',
  'database_user.create:done': 'database_user.added',
  'database_user.delete:done': 'database_user.removed',
  'mail.failed:done': 'mail.failed',
  'mail.limited:done': 'mail.limited',
  'ssh_key.added:done': 'ssh_key.added',
  'ssh_key.removed:done': 'ssh_key.removed',
  'shell.given:done': 'shell.given',
  'shell.taken:done': 'shell.taken',
  'sftp_user.created:done': 'sftp_user.created',
  'sftp_user.removed:done': 'sftp_user.removed',
}

/** Kinds of operations whose end the store notes, since an event may come of it. */
export const EVENTFUL_KINDS: readonly string[] = [
  ...new Set(Object.keys(OF_OPERATIONS).map((end) => end.slice(0, end.indexOf(':')))),
]

/** Fields of an operation that are told; no other ever is. */
const TOLD = [
  'account_id',
  'reseller_id',
  'domain',
  'filename',
  'location',
  'snapshot',
  'job_id',
  'failures',
  'name',
  'address',
  'fingerprint',
  'message',
  'reason',
] as const

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** What is told of an event. */
export interface EventMessage {
  /** The same each time it is told: what comes twice is recognised by it. */
  id: string
  event: EventName
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string
  /** Account that it belongs to; null: to none. */
  username: string | null
  data: Readonly<Record<string, string | number>>
}

/** The message of a noted end; null when it is none that is told. */
export const eventMessage = (noted: {
  id: number
  at: string
  ending: string
  subject: string
  data: unknown
}): EventMessage | null => {
  const known = Object.hasOwn(OF_OPERATIONS, noted.ending) ? OF_OPERATIONS[noted.ending] : undefined
  if (known === undefined) return null
  const data = isRecord(noted.data) ? noted.data : {}
  const renewed = known === 'certificate.issued' && isRecord(data['previous'])
  const named = typeof data['username'] === 'string' ? data['username'] : null
  const subject = /^(?:backup:|backups:)?([a-z0-9]{3,16})$/.exec(noted.subject)?.[1] ?? null
  return {
    id: `event-${noted.id}`,
    event: renewed ? 'certificate.renewed' : known,
    at: noted.at,
    username: named ?? subject,
    data: Object.fromEntries(
      TOLD.flatMap((name) => {
        const value = data[name]
        return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : []
      }),
    ),
  }
}
