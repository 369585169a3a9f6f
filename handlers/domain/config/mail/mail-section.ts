import { z } from 'zod'
import { isMailAddress } from '../../mail/mail-address.ts'
import { hostName, sizeBytes, text, whole } from '../values.ts'

/** Where the relay listens, and how one speaks to it. */
export interface MailRelay {
  host: string
  port: number
  /** `smtps`: TLS from the first byte; `smtp`: after STARTTLS. */
  scheme: 'smtp' | 'smtps'
}

/** Section `[mail]`: how messages leave this server. */
export interface MailConfig {
  /** Null: messages are kept. */
  relay: MailRelay | null
  username: string | null
  /** Holds the password; readable by user berth-mail alone. */
  password_file: string | null
  /** Root certificates to trust when speaking to the relay (PEM); null: the system's. */
  ca_file: string | null
  /** Whether mail and password may go to a relay elsewhere without TLS. */
  allow_plaintext: boolean
  /** Sender of the panel's own messages; null: `berth` at `hello`. */
  from: string | null
  /** Name by which this server greets the relay; null: the machine's. */
  hello: string | null
  /** Bytes of one message. */
  max_message_size: number
  /** Recipients of one message. */
  max_recipients: number
  /** Messages, counted by recipients, of the whole server in an hour. */
  per_hour: number
  /** Hours after which a message that cannot be delivered is given up. */
  retry_hours: number
  /** Days for which messages without a relay, and failed ones, are kept. */
  keep_days: number
  /** Bytes of all waiting and kept messages together. */
  keep_size: number
  /** Days after which ended messages leave the list. */
  log_days: number
}

const PORTS = { smtp: 587, smtps: 465 } as const
const RELAY =
  'is not a relay. Write "smtp://mail.example.com:587" (STARTTLS) or "smtps://mail.example.com:465"; name and password stand in username and password_file.'

/** Reads `smtp://host:port`; null for what is none. */
export const parseRelay = (value: string): MailRelay | null => {
  const [, scheme, rest = ''] = /^(smtps?):\/\/([^/?#@\s]+)\/?$/.exec(value) ?? []
  if (scheme !== 'smtp' && scheme !== 'smtps') return null
  if (!URL.canParse(`http://${rest}`)) return null
  // An http URL leaves port 80 out, which is no relay's.
  const { hostname, port } = new URL(`http://${rest}`)
  if (/:0*80$/.test(rest)) return { scheme, host: bare(hostname), port: 80 }
  return { scheme, host: bare(hostname), port: port === '' ? PORTS[scheme] : Number(port) }
}
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** Whether the relay is on this machine, so that nobody else reads along. */
export const isLoopbackRelay = ({ host }: MailRelay): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)

/** `[mail]` as it is written. */
export const MAIL_SCHEMA = z.strictObject({
  relay: text.refine((value) => parseRelay(value) !== null, RELAY).optional(),
  username: text.max(256).optional(),
  password_file: text.optional(),
  ca_file: text.optional(),
  allow_plaintext: z.boolean().optional(),
  from: text
    .refine(isMailAddress, 'is not an e-mail address. Write "berth@example.com".')
    .optional(),
  hello: hostName.optional(),
  max_message_size: sizeBytes
    .refine(
      (value) => value >= 16 * 2 ** 10 && value <= 2 ** 30,
      'must lie between "16K" and "1G".',
    )
    .optional(),
  max_recipients: whole(1, 1000).optional(),
  per_hour: whole(1, 1_000_000).optional(),
  retry_hours: whole(1, 720).optional(),
  keep_days: whole(1, 365).optional(),
  keep_size: sizeBytes.refine((value) => value >= 2 ** 20, 'must be at least "1M".').optional(),
  log_days: whole(1, 365).optional(),
})

/** The section with its defaults. `path` makes names of files absolute. */
export const completeMail = (
  raw: Partial<z.output<typeof MAIL_SCHEMA>>,
  path: (value: string | undefined) => string | null,
): MailConfig => ({
  relay: raw.relay === undefined ? null : parseRelay(raw.relay),
  username: raw.username ?? null,
  password_file: path(raw.password_file),
  ca_file: path(raw.ca_file),
  allow_plaintext: raw.allow_plaintext ?? false,
  from: raw.from ?? null,
  hello: raw.hello ?? null,
  max_message_size: raw.max_message_size ?? 25 * 2 ** 20,
  max_recipients: raw.max_recipients ?? 50,
  per_hour: raw.per_hour ?? 10_000,
  retry_hours: raw.retry_hours ?? 72,
  keep_days: raw.keep_days ?? 7,
  keep_size: raw.keep_size ?? 2 ** 30,
  log_days: raw.log_days ?? 30,
})
