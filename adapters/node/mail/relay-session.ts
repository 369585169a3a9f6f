import { createReadStream, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { MailConfig } from '#handlers/domain/config/config-types.ts'
import { isLoopbackRelay } from '#handlers/domain/config/mail/mail-section.ts'
import type { MailRecipient } from '#handlers/ports/host/mail/mail-queue.ts'

/** What one try came to. */
export type RelayOutcome =
  /** It could not be spoken to: nothing to do with this message. */
  | { kind: 'unreachable'; answer: string }
  | { kind: 'answered'; recipients: MailRecipient[]; answer: string }

/** What is sent. */
export interface RelayOrder {
  sender: string
  recipients: readonly string[]
  file: string
  sizeBytes: number
}

const CONNECT_MS = 20_000
const IDLE_MS = 120_000
/** Of a whole try; a relay that takes a byte a minute would hold a place for ever. */
const LONGEST_MS = 15 * 60_000
const MAX_ANSWER = 500
const MAX_SECRET_BYTES = 4096

const oneLine = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_ANSWER)

interface SmtpFailure {
  text: string
  /** Code of the relay's answer; 0: it gave none. */
  code: number
}

const failureOf = (error: unknown): SmtpFailure => {
  if (!(error instanceof Error)) return { text: oneLine(String(error)), code: 0 }
  const response = 'response' in error && typeof error.response === 'string' ? error.response : ''
  const code =
    'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : 0
  // The relay said how much it takes when it greeted us, and nodemailer does not ask it again.
  const tooLarge = code === 0 && error.message.startsWith('Message size larger than allowed')
  return {
    text: oneLine(response === '' ? error.message : response),
    code: tooLarge ? 552 : code,
  }
}

const readSecret = (file: string): string => {
  const text = readFileSync(file, 'utf8')
  if (text.length > MAX_SECRET_BYTES) throw new Error(`${file} is too long for a password`)
  return text.replace(/\r?\n$/, '')
}

/** What nodemailer is told of the relay; the password is told later, and only over TLS where that is asked for. */
const optionsOf = (config: MailConfig, relay: NonNullable<MailConfig['relay']>, hello: string) => {
  const local = isLoopbackRelay(relay)
  return {
    host: relay.host,
    port: relay.port,
    secure: relay.scheme === 'smtps',
    requireTLS: relay.scheme === 'smtp' && !local && !config.allow_plaintext,
    name: hello,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: IDLE_MS,
    maxResponseSize: 64 * 1024,
    // A relay on this machine may lie in a network that looks unusable.
    allowInternalNetworkInterfaces: true,
    tls: {
      ...(isIP(relay.host) === 0 ? { servername: relay.host } : {}),
      ...(config.ca_file === null ? {} : { ca: readFileSync(config.ca_file) }),
      minVersion: 'TLSv1.2' as const,
      // Of a relay on this machine that has but the certificate of its package.
      rejectUnauthorized: !(relay.scheme === 'smtp' && local && config.ca_file === null),
    },
  }
}

const settled = <T>(
  connection: SMTPConnection,
  begin: (done: (error: unknown, value?: T) => void) => void,
): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const broken = (error: unknown): void => reject(error)
    connection.once('error', broken)
    connection.once('end', () => reject(new Error('The relay closed the connection.')))
    begin((error, value) => {
      if (error !== null && error !== undefined) reject(error)
      else resolve(value)
    })
  })

const answered = (
  recipients: readonly string[],
  of: (address: string) => SmtpFailure | null,
  said: string,
): RelayOutcome => ({
  kind: 'answered',
  answer: said,
  recipients: recipients.map((address) => {
    const failure = of(address)
    if (failure === null) return { address, state: 'sent', answer: said }
    const state = failure.code >= 500 ? 'failed' : 'waiting'
    return { address, state, answer: failure.text }
  }),
})

/** Sends one message over a connection of its own. Never rejects. */
export const sendOverRelay = async (
  config: MailConfig,
  hello: string,
  order: RelayOrder,
): Promise<RelayOutcome> => {
  const { relay, username, password_file } = config
  if (relay === null) return { kind: 'unreachable', answer: 'There is no relay.' }
  let connection: SMTPConnection
  let deadline: NodeJS.Timeout | undefined
  try {
    connection = new SMTPConnection(optionsOf(config, relay, hello))
  } catch (error) {
    return { kind: 'unreachable', answer: failureOf(error).text }
  }
  // Whatever comes after the promises below were settled.
  connection.on('error', () => undefined)
  try {
    deadline = setTimeout(() => connection.close(), LONGEST_MS)
    await settled(connection, (done) => connection.connect((error) => done(error)))
    if (username !== null && password_file !== null) {
      const pass = readSecret(password_file)
      await settled(connection, (done) =>
        connection.login({ user: username, pass }, (error) => done(error)),
      )
    }
  } catch (error) {
    clearTimeout(deadline)
    connection.close()
    const { text } = failureOf(error)
    return { kind: 'unreachable', answer: `${relay.host}:${relay.port}: ${text}` }
  }
  const body = createReadStream(order.file)
  try {
    const envelope = {
      from: order.sender,
      to: [...order.recipients],
      size: order.sizeBytes,
      use8BitMime: true,
    }
    const info = await settled<{ rejectedErrors?: Error[] | undefined; response: string }>(
      connection,
      (done) => connection.send(envelope, body, (error, value) => done(error, value)),
    )
    const rejected = new Map(
      (info?.rejectedErrors ?? []).map((error) => [
        'recipient' in error ? String(error.recipient) : '',
        failureOf(error),
      ]),
    )
    return answered(
      order.recipients,
      (address) => rejected.get(address) ?? null,
      oneLine(info?.response ?? ''),
    )
  } catch (error) {
    const whole = failureOf(error)
    const each = new Map<string, SmtpFailure>()
    if (error instanceof Error && 'rejectedErrors' in error && Array.isArray(error.rejectedErrors))
      for (const one of error.rejectedErrors as unknown[])
        if (one instanceof Error && 'recipient' in one)
          each.set(String(one.recipient), failureOf(one))
    return answered(order.recipients, (address) => each.get(address) ?? whole, whole.text)
  } finally {
    clearTimeout(deadline)
    body.destroy()
    connection.quit()
    setTimeout(() => connection.close(), 2000).unref()
  }
}
