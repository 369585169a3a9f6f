import { messagePauseMs, relayPauseMs } from '#handlers/domain/mail/retry-times.ts'
import type { MailRecipient } from '#handlers/ports/host/mail/mail-queue.ts'
import type { StoredMail } from './mail-records.ts'
import type { QueueContext } from './queue-context.ts'
import { sendOverRelay } from './relay-session.ts'

/** Connections to the relay at a time, and of them for one account. */
const AT_ONCE = 4
const OF_ONE_ACCOUNT = 2
const HOUR_MS = 3_600_000
const LOOK_EVERY_MS = 60_000

/** Sends what is due, account by account. */
export interface QueueRunner {
  /** Looks now. */
  wake(): void
  /** Tries the relay now, too, which may be another one. */
  renew(): void
  /** Whether the message is being sent. */
  isSending(id: string): boolean
  /** An account whose messages wait, or wait no more. */
  hold(account: string, held: boolean): void
  /** Null: nothing that is known is wrong with the relay. */
  trouble(): { sinceMs: number; answer: string } | null
  /** Waits for what is being sent, for a while. */
  stop(): Promise<void>
}

/** Where the relay is and what is wrong with it concerns whoever runs this server, not its accounts. */
const UNREACHABLE = 'The mail relay of this server cannot be used at present.'
const shown = ({ account }: StoredMail, answer: string): string =>
  account === '' ? answer : UNREACHABLE

/** The turns of a queue; `onEnd` is told of each message that is done with. */
export const createQueueRunner = (
  context: QueueContext,
  onEnd: (mail: StoredMail) => Promise<void>,
): QueueRunner => {
  const { records, config, hello, files, nowMs, log } = context
  const sending = new Map<string, { account: string; done: Promise<void> }>()
  const held = new Set<string>()
  /** When each account had its turn, by a number that grows. */
  const turns = new Map<string, number>()
  let turn = 0
  let relay = { failures: 0, sinceMs: 0, nextMs: 0, answer: '' }
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const settle = async (mail: StoredMail, recipients: MailRecipient[], answer: string) => {
    const still = records.find(mail.id)
    // Its account was removed meanwhile.
    if (still === null) return
    const merged = mail.recipients.map(
      (one) => recipients.find(({ address }) => address === one.address) ?? one,
    )
    const isLate = nowMs() - mail.createdMs >= config().retry_hours * HOUR_MS
    const waiting = merged.some(({ state }) => state === 'waiting')
    const attempts = mail.attempts + 1
    if (waiting && !isLate) {
      records.put({
        ...{ ...mail, attempts, answer, recipients: merged },
        state: config().relay === null ? 'kept' : 'queued',
        nextMs: config().relay === null ? null : nowMs() + messagePauseMs(attempts),
      })
      return
    }
    const final = merged.map((one) =>
      one.state === 'waiting' ? { ...one, state: 'failed' as const } : one,
    )
    const ended: StoredMail = {
      ...{ ...mail, attempts, answer, recipients: final },
      state: final.every(({ state }) => state === 'sent') ? 'sent' : 'failed',
      nextMs: null,
      endedMs: nowMs(),
    }
    records.put(ended)
    await onEnd(ended)
  }

  const deliver = async (mail: StoredMail): Promise<void> => {
    const open = mail.recipients.filter(({ state }) => state === 'waiting')
    const outcome = await sendOverRelay(config(), hello(), {
      sender: mail.sender,
      recipients: open.map(({ address }) => address),
      file: files.path(mail.id),
      sizeBytes: mail.sizeBytes,
    })
    if (outcome.kind === 'answered') {
      relay = { failures: 0, sinceMs: 0, nextMs: 0, answer: '' }
      await settle(mail, outcome.recipients, outcome.answer)
      log.info('a message was tried', {
        id: mail.id,
        account: mail.account,
        answer: outcome.answer,
      })
      return
    }
    // Tries that were under way together are one failure.
    const failures = relay.nextMs > nowMs() ? relay.failures : relay.failures + 1
    relay = {
      failures,
      sinceMs: relay.failures === 0 ? nowMs() : relay.sinceMs,
      nextMs: nowMs() + relayPauseMs(failures),
      answer: outcome.answer,
    }
    if (failures === 1) log.error('the relay cannot be used', { answer: outcome.answer })
    if (nowMs() - mail.createdMs >= config().retry_hours * HOUR_MS)
      await settle(mail, open, shown(mail, outcome.answer))
    else if (records.find(mail.id) !== null)
      records.put({ ...mail, answer: shown(mail, outcome.answer), nextMs: nowMs() })
  }

  const next = (): StoredMail | null => {
    const busy = [...sending.values()].map(({ account }) => account)
    const inTurn = records
      .dueAccounts(nowMs())
      .filter(
        (one) => !held.has(one) && busy.filter((other) => other === one).length < OF_ONE_ACCOUNT,
      )
      .sort((a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0))
    for (const account of inTurn) {
      const mail = records.nextOf(account, nowMs()).find(({ id }) => !sending.has(id))
      if (mail === undefined) continue
      turn += 1
      turns.set(account, turn)
      return mail
    }
    return null
  }

  const look = (): void => {
    clearTimeout(timer)
    if (stopped) return
    const atOnce = relay.failures === 0 ? AT_ONCE : 1
    while (sending.size < atOnce && config().relay !== null && nowMs() >= relay.nextMs) {
      const mail = next()
      if (mail === null) break
      const done = deliver(mail)
        .catch((error: unknown) =>
          log.error('a message could not be sent', { id: mail.id, error: String(error) }),
        )
        .finally(() => {
          sending.delete(mail.id)
          look()
        })
      sending.set(mail.id, { account: mail.account, done })
    }
    const due = records.nextDueMs(nowMs())
    const soonest = Math.min(
      LOOK_EVERY_MS,
      due === null ? Infinity : due - nowMs(),
      relay.nextMs > nowMs() ? relay.nextMs - nowMs() : Infinity,
    )
    timer = setTimeout(look, Math.max(20, soonest))
    timer.unref()
  }

  return {
    wake: look,
    renew() {
      relay = { failures: 0, sinceMs: 0, nextMs: 0, answer: '' }
      look()
    },
    isSending: (id) => sending.has(id),
    hold(account, isHeld) {
      if (isHeld) held.add(account)
      else held.delete(account)
      look()
    },
    trouble: () => (relay.failures === 0 ? null : { sinceMs: relay.sinceMs, answer: relay.answer }),
    async stop() {
      stopped = true
      clearTimeout(timer)
      const late = new Promise<void>((resolve) => setTimeout(resolve, 5000).unref())
      await Promise.race([Promise.all([...sending.values()].map(({ done }) => done)), late])
    },
  }
}
