import { messageValue } from '../../domain/notifications/notification-kinds.ts'
import { randomSecret } from '../../domain/access/random-secret.ts'
import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import { AppError, notFound, unavailable } from '../../errors.ts'
import type { PostsPort } from '../../ports/posts.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type {
  NotificationDeliveryRow,
  NotificationWebhookRow,
} from '../../ports/store/notifications/notification-store.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { findAddressee } from './people.ts'
import { signature, webhookMessage, type WebhookMessage } from './webhook-body.ts'

const KEPT_DELIVERIES = 50
/** Of one person in one turn, so that nobody keeps the others waiting. */
const MOST_OF_ONE = 10
const MOST_WEBHOOKS = 40
const MOST_AT_ONCE = 4
/** After so many failures in a row, about a day, what waits is given up. */
const MOST_TRIES = 10
const MOST_UNTOLD = 500
const FIRST_PAUSE_SECS = 30
const LONGEST_PAUSE_SECS = 6 * 3600
const TEST_PAUSE_SECS = 5

const NO_WEBHOOK = 'There is no webhook. Set its address first.'

/** An attempt as people see it. */
type DeliveryView = Omit<NotificationDeliveryRow, 'role' | 'owner_id'>

/** Webhooks of people, one each. */
export interface PersonalWebhooks {
  /** Null: none is set. Never the secret. */
  get(person: UserRef): Promise<Pick<NotificationWebhookRow, 'url' | 'created_at' | 'tries'> | null>
  /** Sets or replaces it; its new secret is told this once. */
  set(person: UserRef, url: string): Promise<{ url: string; secret: string; created_at: string }>
  /** None there: no error. */
  remove(person: UserRef): Promise<void>
  /** Sends a test now, and tells what came of it. 404 without a webhook, 429 more often than every five seconds. */
  test(person: UserRef): Promise<DeliveryView>
  /** The last ones, newest first. */
  deliveries(person: UserRef): Promise<DeliveryView[]>
  /** Tells what is due. Turns do not overlap. */
  turn(): Promise<void>
}

const view = ({ role: _role, owner_id: _owner, ...row }: NotificationDeliveryRow): DeliveryView =>
  row

export const createPersonalWebhooks = (
  deps: Pick<ServiceDeps, 'store' | 'clock' | 'log'> & { posts?: PostsPort },
): PersonalWebhooks => {
  const { store, clock, log, posts } = deps
  const tested = new Map<string, number>()
  let running: Promise<void> | null = null
  const now = (): string => timestamp(clock.nowMs())

  type Attempt = Omit<NotificationDeliveryRow, 'id'>
  const attempt = async (
    hook: NotificationWebhookRow,
    { id, body }: WebhookMessage,
    notificationId: number | null,
  ): Promise<{ row: Attempt; taken: boolean }> => {
    const begunMs = clock.nowMs()
    const row = {
      role: hook.role,
      owner_id: hook.owner_id,
      notification_id: notificationId,
      at: timestamp(begunMs),
    }
    const since = (): number => Math.max(0, clock.nowMs() - begunMs)
    try {
      if (posts === undefined) throw unavailable('This panel cannot send to addresses.')
      const { status } = await posts.post(hook.url, {
        headers: {
          'content-type': 'application/json',
          'berth-event-id': id,
          'berth-signature': await signature(hook.secret, unixSecs(begunMs), body),
        },
        body,
      })
      const taken = status >= 200 && status < 300
      return { row: { ...row, status, error: null, duration_ms: since() }, taken }
    } catch (fault) {
      const error = messageValue(fault instanceof Error ? fault.message : String(fault))
      return { row: { ...row, status: null, error, duration_ms: since() }, taken: false }
    }
  }

  const tell = async (hook: NotificationWebhookRow): Promise<void> => {
    const person: UserRef = { role: hook.role, id: hook.owner_id }
    const language = (await findAddressee({ store }, person))?.language ?? 'en'
    for (const told of await store.untoldNotifications(person, MOST_OF_ONE)) {
      const { row, taken } = await attempt(hook, webhookMessage(told, language), told.id)
      if (taken) {
        const next = { tries: 0, next_at_secs: 0 }
        await store.noteDelivery(row, { told: [told.id], next, keep: KEPT_DELIVERIES })
        continue
      }
      const tries = hook.tries + 1
      const given = tries >= MOST_TRIES
      const pause = Math.min(LONGEST_PAUSE_SECS, FIRST_PAUSE_SECS * 2 ** (tries - 1))
      await store.noteDelivery(row, {
        given: given
          ? (await store.untoldNotifications(person, MOST_UNTOLD)).map(({ id }) => id)
          : [],
        next: given
          ? { tries: 0, next_at_secs: 0 }
          : { tries, next_at_secs: unixSecs(clock.nowMs()) + pause },
        keep: KEPT_DELIVERIES,
      })
      return
    }
  }

  const turn = async (): Promise<void> => {
    const hooks = await store.dueWebhooks(unixSecs(clock.nowMs()), MOST_WEBHOOKS)
    const work = async (): Promise<void> => {
      for (let hook = hooks.shift(); hook !== undefined; hook = hooks.shift())
        await tell(hook).catch((error: unknown) =>
          log.error('a webhook was not told', { error: String(error) }),
        )
    }
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, work))
  }

  const mayTest = ({ role, id }: UserRef): boolean => {
    const nowMs = clock.nowMs()
    for (const [person, at] of tested)
      if (Math.abs(nowMs - at) >= TEST_PAUSE_SECS * 1000) tested.delete(person)
    if (tested.has(`${role}:${id}`)) return false
    tested.set(`${role}:${id}`, nowMs)
    return true
  }

  return {
    async get(person) {
      const row = await store.notificationWebhook(person)
      return row && { url: row.url, created_at: row.created_at, tries: row.tries }
    },
    async set({ role, id }, url) {
      const secret = `whsec_${randomSecret()}`
      const created_at = now()
      const row = { role, owner_id: id, url, secret, created_at, tries: 0, next_at_secs: 0 }
      await store.setNotificationWebhook({ role, id }, row)
      return { url, secret, created_at }
    },
    remove: (person) => store.setNotificationWebhook(person, null),
    async test(person) {
      const hook = await store.notificationWebhook(person)
      if (hook === null) throw notFound(NO_WEBHOOK)
      if (posts === undefined)
        throw unavailable('This panel cannot send to addresses. Use one that runs on the host.')
      if (!mayTest(person))
        throw new AppError(429, 'A test was sent just now. Try again in a moment.', {
          headers: { 'retry-after': String(TEST_PAUSE_SECS) },
        })
      const id = `test-${crypto.randomUUID()}`
      const body = JSON.stringify({ id, kind: 'test', at: now() })
      const { row } = await attempt(hook, { id, body }, null)
      await store.noteDelivery(row, { keep: KEPT_DELIVERIES })
      const [newest] = await store.listDeliveries(person)
      return newest === undefined ? { ...row, id: 0 } : view(newest)
    },
    deliveries: async (person) => (await store.listDeliveries(person)).map(view),
    turn: () => (running ??= turn().finally(() => (running = null))),
  }
}
