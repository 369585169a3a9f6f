/** What people are told about; each has its own ways to be told. */
export const NOTIFICATION_KINDS = [
  'certificate',
  'backup',
  'quota',
  'disk',
  'job',
  'cron',
  'login',
  'security',
  'update',
  'mail',
  'machine',
] as const
/** One of `NOTIFICATION_KINDS`. */
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** `info`: for knowing; `warning`: somebody should see to it; `error`: something fails now. */
export const SEVERITIES = ['info', 'warning', 'error'] as const
/** One of `SEVERITIES`. */
export type Severity = (typeof SEVERITIES)[number]

/**
 * What can be said: its kind, how bad it is, and a rank: a trouble that stands is told again
 * only where it came to a higher one.
 */
export const MESSAGES = {
  'certificate.failed': { kind: 'certificate', severity: 'warning', rank: 1 },
  'certificate.expiring': { kind: 'certificate', severity: 'warning', rank: 2 },
  'certificate.expiring_10': { kind: 'certificate', severity: 'warning', rank: 3 },
  'certificate.expiring_3': { kind: 'certificate', severity: 'error', rank: 4 },
  'certificate.expired': { kind: 'certificate', severity: 'error', rank: 5 },
  'backup.failed': { kind: 'backup', severity: 'error', rank: 1 },
  'backup.overdue': { kind: 'backup', severity: 'warning', rank: 1 },
  'backup.doubtful': { kind: 'backup', severity: 'error', rank: 1 },
  'quota.disk_80': { kind: 'quota', severity: 'info', rank: 1 },
  'quota.disk_95': { kind: 'quota', severity: 'warning', rank: 2 },
  'quota.disk_full': { kind: 'quota', severity: 'error', rank: 3 },
  'quota.bandwidth_80': { kind: 'quota', severity: 'info', rank: 1 },
  'quota.bandwidth_95': { kind: 'quota', severity: 'warning', rank: 2 },
  'quota.bandwidth_full': { kind: 'quota', severity: 'error', rank: 3 },
  'quota.memory': { kind: 'quota', severity: 'warning', rank: 1 },
  'disk.low': { kind: 'disk', severity: 'warning', rank: 1 },
  'disk.full': { kind: 'disk', severity: 'error', rank: 2 },
  'disk.read_only': { kind: 'disk', severity: 'error', rank: 3 },
  'job.failed': { kind: 'job', severity: 'error', rank: 1 },
  'cron.failed': { kind: 'cron', severity: 'error', rank: 1 },
  'login.new_place': { kind: 'login', severity: 'warning', rank: 1 },
  'security.password_changed': { kind: 'security', severity: 'info', rank: 1 },
  'security.password_set': { kind: 'security', severity: 'warning', rank: 1 },
  'security.token_made': { kind: 'security', severity: 'info', rank: 1 },
  'security.passkey_added': { kind: 'security', severity: 'info', rank: 1 },
  'security.second_factor_off': { kind: 'security', severity: 'warning', rank: 1 },
  'security.second_factor_taken': { kind: 'security', severity: 'warning', rank: 1 },
  'update.available': { kind: 'update', severity: 'info', rank: 1 },
  'update.security': { kind: 'update', severity: 'warning', rank: 2 },
  'mail.relay': { kind: 'mail', severity: 'error', rank: 1 },
  'machine.away': { kind: 'machine', severity: 'error', rank: 1 },
  'machine.back': { kind: 'machine', severity: 'info', rank: 1 },
  'machine.service': { kind: 'machine', severity: 'error', rank: 1 },
  'machine.certificate': { kind: 'machine', severity: 'warning', rank: 1 },
} as const satisfies Record<string, { kind: NotificationKind; severity: Severity; rank: number }>

/** A key of `MESSAGES`. */
export type MessageKey = keyof typeof MESSAGES

/** What a message names; each text takes what it needs of it. */
export type MessageData = Readonly<Record<string, string | number>>

/** Whether a text that was kept is a message of this version. */
export const isMessage = (key: string): key is MessageKey => Object.hasOwn(MESSAGES, key)

const MOST_CHARACTERS = 300

/** A value of message data: one line of bounded length that is read from left to right, whoever wrote it. */
export const messageValue = (value: string): string =>
  value
    .slice(0, MOST_CHARACTERS)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ')
    .trim()
