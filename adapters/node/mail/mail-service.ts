import MailComposer from 'nodemailer/lib/mail-composer'
import type { MailConfig } from '#handlers/domain/config/config-types.ts'
import { isMailAddress } from '#handlers/domain/mail/mail-address.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { AppError, conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import type { MailQueuePort } from '#handlers/ports/host/mail/mail-queue.ts'
import type { OutgoingMail } from '#handlers/ports/host/mail/outgoing-mail.ts'
import { mailRecord, type StoredMail } from './mail-records.ts'
import type { QueueContext } from './queue-context.ts'
import { createQueueRunner } from './queue-runner.ts'
import { Refusal } from './refusal.ts'
import { panelAddress } from './sender-of.ts'
import { serveSubmissions, type SubmissionServer } from './submission-server.ts'
import { takeMessage } from './take-message.ts'

const DAY_MS = 86_400_000
/** Ended messages of one account that the list shows. */
const MOST_LISTED = 1000
const SOURCE_BYTES = 256 * 1024
const MAX_TEXT = 100_000
const MAX_SUBJECT = 250

/** What the agent may ask the queue for. */
export interface MailService extends MailQueuePort, OutgoingMail {
  /** Takes messages of an account from now on; a second time only `suspended` counts. */
  open(input: { username: string; directory: string; suspended: boolean }): Promise<void>
  /** Forgets an account with all of its messages. */
  forget(input: { username: string }): Promise<void>
  configure(config: MailConfig): Promise<void>
  stop(): Promise<void>
}

const failureText = (mail: StoredMail): string => {
  const failed = mail.recipients.filter(({ state }) => state === 'failed')
  const [first] = failed
  return `The message to ${first?.address ?? 'nobody'}${failed.length > 1 ? ` and ${failed.length - 1} more` : ''} was not delivered: ${first?.answer ?? mail.answer ?? 'it waited too long'}`
}

/** The queue with everything it does by itself; `setConfig` is told before anything else. */
export const createMailService = (
  context: QueueContext,
  setConfig: (config: MailConfig) => void,
): MailService => {
  const { records, files, usage, news, nowMs, log } = context
  const servers = new Map<string, SubmissionServer>()

  const ended = async (mail: StoredMail): Promise<void> => {
    if (mail.state === 'sent') {
      await files.remove(mail.id)
      records.put({ ...mail, hasSource: false })
    } else
      news.tell({
        kind: 'failed',
        account: mail.account,
        message: mail.id,
        told: failureText(mail),
      })
  }
  const runner = createQueueRunner(context, ended)

  /** What became too old. */
  const tidy = async (): Promise<void> => {
    const { keep_days, log_days, relay } = context.config()
    usage.tidy()
    const before = nowMs() - keep_days * DAY_MS
    for (const mail of relay === null ? records.tooOld('kept', before) : []) {
      const answer = `There was no relay for ${keep_days} days.`
      const given = { ...mail, state: 'failed' as const, nextMs: null, endedMs: nowMs(), answer }
      await files.remove(mail.id)
      records.put({ ...given, hasSource: false })
      await ended({ ...given, hasSource: false })
    }
    for (const mail of records.tooOld('failed', before)) {
      await files.remove(mail.id)
      records.put({ ...mail, hasSource: false })
    }
    for (const id of records.removeEnded(nowMs() - log_days * DAY_MS, MOST_LISTED))
      await files.remove(id)
  }
  const tidyOrLog = (): void =>
    void tidy().catch((error: unknown) =>
      log.error('old messages could not be removed', { error: String(error) }),
    )
  const timer = setInterval(tidyOrLog, 600_000)
  timer.unref()

  const require = (id: string): StoredMail => {
    const mail = records.find(id)
    if (mail === null) throw notFound('No such message. List the messages to see which there are.')
    return mail
  }
  const follow = (): void => {
    records.moveWaiting(context.config().relay === null ? 'kept' : 'queued', nowMs())
    runner.renew()
  }
  follow()
  tidyOrLog()

  return {
    async submit({ to, subject, text }) {
      if (!isMailAddress(to)) throw invalid('to', 'to must be an e-mail address.')
      if (subject.length > MAX_SUBJECT || /\p{Cc}/u.test(subject))
        throw invalid('subject', `subject must be one line of at most ${MAX_SUBJECT} characters.`)
      if (text.length > MAX_TEXT)
        throw invalid('text', `text must have at most ${MAX_TEXT} characters.`)
      const from = { name: 'Berth', address: panelAddress(context) }
      const whole = await new MailComposer({ from, to, subject, text }).compile().build()
      const source = (async function* () {
        yield whole
      })()
      const head = { sender: from.address, fullName: null, recipients: [to], extract: false }
      try {
        const id = await takeMessage(context, '', head, source)
        runner.wake()
        return { id, state: context.config().relay === null ? 'kept' : 'queued' }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        throw error.kind === 'limit'
          ? new AppError(429, error.message, { headers: { 'retry-after': '600' } })
          : unavailable(error.message)
      }
    },
    async open({ username, directory, suspended }) {
      runner.hold(username, suspended)
      if (servers.has(username)) return
      const server = await serveSubmissions(
        directory,
        async (head, source) => {
          const isOpen = (): boolean => servers.has(username)
          const id = await takeMessage(context, username, head, source, isOpen)
          runner.wake()
          return id
        },
        log,
      )
      servers.set(username, server)
    },
    async forget({ username }) {
      servers.get(username)?.close()
      servers.delete(username)
      runner.hold(username, false)
      const ids = records.idsOf(username)
      records.removeAccount(username)
      usage.forget(username)
      for (const id of ids) await files.remove(id)
    },
    async configure(config) {
      setConfig(config)
      follow()
      tidyOrLog()
    },
    async status() {
      const config = context.config()
      const trouble = runner.trouble()
      const oldest = records.oldestWaitingMs()
      return {
        relay: config.relay === null ? null : `${config.relay.host}:${config.relay.port}`,
        from: panelAddress(context),
        trouble:
          trouble === null ? null : { since: timestamp(trouble.sinceMs), answer: trouble.answer },
        counts: records.counts(),
        oldestWaiting: oldest === null ? null : timestamp(oldest),
        storedBytes: records.storedBytes(),
        limits: {
          messageBytes: config.max_message_size,
          recipients: config.max_recipients,
          perHour: config.per_hour,
          retryHours: config.retry_hours,
          keepDays: config.keep_days,
          storedBytes: config.keep_size,
          logDays: config.log_days,
        },
      }
    },
    allowance: async ({ username }) => usage.allowance(username),
    setAccount: async ({ username, ...told }) => usage.setAccount(username, told),
    async list(search) {
      const { rows, total } = records.search(search)
      return { rows: rows.map(mailRecord), total }
    },
    message: async ({ id }) => mailRecord(require(id)),
    async source({ id }) {
      if (!require(id).hasSource)
        throw notFound('The text of this message is not kept any more: it was sent or given up.')
      const { bytes, truncated } = await files.beginning(id, SOURCE_BYTES)
      return { text: bytes.toString('utf8'), truncated }
    },
    async retry({ id }) {
      const mail = require(id)
      if (!mail.hasSource || mail.state === 'sent')
        throw conflict('This message cannot be sent again: its text is not kept any more.')
      if (!runner.isSending(id)) {
        const isKept = context.config().relay === null
        // One that was given up begins anew, or it would be too old at once.
        const again = mail.endedMs === null ? mail : { ...mail, createdMs: nowMs(), endedMs: null }
        records.put({
          ...again,
          state: isKept ? 'kept' : 'queued',
          nextMs: isKept ? null : nowMs(),
          recipients: mail.recipients.map((one) =>
            one.state === 'failed' ? { ...one, state: 'waiting' } : one,
          ),
        })
        runner.renew()
      }
      return mailRecord(require(id))
    },
    async remove({ id }) {
      require(id)
      if (runner.isSending(id)) throw conflict('This message is being sent. Try again in a moment.')
      records.remove(id)
      await files.remove(id)
    },
    takeNews: async ({ acknowledged }) => news.take(acknowledged),
    async stop() {
      clearInterval(timer)
      for (const server of servers.values()) server.close()
      await runner.stop()
    },
  }
}
