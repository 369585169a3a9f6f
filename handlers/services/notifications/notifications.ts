import { type NotificationKind } from '../../domain/notifications/notification-kinds.ts'
import { loginPlace } from '../../domain/notifications/login-place.ts'
import type { NotificationLanguage } from '../../domain/notifications/texts/texts.ts'
import { deviceName } from '../../domain/access/device-name.ts'
import { ALWAYS_IN_PANEL } from '../../domain/notifications/preferences.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { notFound } from '../../errors.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { NotificationRow } from '../../ports/store/notifications/notification-store.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createLook } from './look.ts'
import { createMails } from './mails.ts'
import type { Notify } from '../notify/notify.ts'
import { createChoices, type Choices } from './choices.ts'
import { inWords } from './webhook-body.ts'
import { createPersonalWebhooks, type PersonalWebhooks } from './webhooks.ts'

const RECORDS_PAUSE_MS = 5 * 60_000
const MACHINE_PAUSE_MS = 30 * 60_000
/** After a start there is other work first. */
const FIRST_RECORDS_MS = 20_000
const FIRST_MACHINE_MS = 2 * 60_000
/** What happened is looked at together. */
const LEAST_PAUSE_MS = 10_000
const PLACES = { most: 50, days: 180 } as const

/** A notification as the API shows it. */
export interface NotificationView {
  id: number
  kind: NotificationKind
  message: string
  severity: NotificationRow['severity']
  title: string
  text: string
  data: NotificationRow['data']
  /** Path of the panel's screen that helps. */
  link: string
  state: 'told' | 'standing' | 'resolved'
  created_at: string
  read_at: string | null
  resolved_at: string | null
}

/** What people are told. */
export interface Notifications {
  /** Newest first unless the query says otherwise. */
  list(
    person: UserRef,
    language: NotificationLanguage,
    query: ListQuery,
  ): Promise<Page<NotificationView>>
  unread(person: UserRef): Promise<{ unread: number; latest: number }>
  /**
   * 404 for one that is not the person's; null: all. What always stands under the bell somebody
   * reads for itself: `forOther` (a program, or who works as the person) leaves it unread.
   */
  read(person: UserRef, id: number | null, forOther?: boolean): Promise<void>
  /** Notes a login, and tells whom it concerns if it came from a new place. */
  loggedIn(
    person: UserRef,
    login: { address: string; userAgent: string; language: NotificationLanguage | null },
  ): Promise<void>
  choices: Choices
  webhooks: Omit<PersonalWebhooks, 'turn'>
  changes: Notify['changes']
  /** Looks for what is wrong now, at records and machine. */
  look(): Promise<void>
  /** Something happened that may be, or end, a trouble: the next turn looks. */
  happened(): void
  /** Looks when it is time to, and tells what is due by mail and webhook; to be called every few seconds. */
  turn(): Promise<void>
}

const view = (row: NotificationRow, language: NotificationLanguage): NotificationView => ({
  id: row.id,
  kind: row.kind as NotificationKind,
  message: row.message,
  severity: row.severity,
  ...inWords(row, language),
  data: row.data,
  state: row.resolved_at !== null ? 'resolved' : row.trouble === null ? 'told' : 'standing',
  created_at: row.created_at,
  read_at: row.read_at,
  resolved_at: row.resolved_at,
})

export const createNotifications = (
  deps: ServiceDeps & {
    notify: Notify
    /** Subjects of the journal of which something cannot be settled. */
    stuck: () => string[]
  },
): Notifications => {
  const { store, clock, log, notify } = deps
  const startedMs = clock.nowMs()
  let recordsMs = startedMs + FIRST_RECORDS_MS - RECORDS_PAUSE_MS
  let machineMs = startedMs + FIRST_MACHINE_MS - MACHINE_PAUSE_MS
  let asked = false
  let running: Promise<void> | null = null
  const { turn: tellWebhooks, ...webhooks } = createPersonalWebhooks(deps)
  const look = createLook(deps, notify)
  const mails = createMails({
    ...deps,
    mail: deps.host.local.outgoingMail,
    panelUrl: deps.panelUrl ?? null,
  })

  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => log.error(what, { error: String(error) }))
  }
  const turn = async (): Promise<void> => {
    const nowMs = clock.nowMs()
    // A clock that was set back must not keep from looking for long.
    const since = (ms: number): number => Math.abs(nowMs - ms)
    if (since(recordsMs) >= (asked ? LEAST_PAUSE_MS : RECORDS_PAUSE_MS)) {
      asked = false
      recordsMs = nowMs
      await attempt('troubles of the records were not looked for', look.atRecords)
    }
    if (since(machineMs) >= MACHINE_PAUSE_MS) {
      machineMs = nowMs
      await attempt('troubles of the machine were not looked for', look.atMachine)
    }
    await attempt('mails were not sent', mails.turn)
  }

  return {
    async list(person, language, query) {
      const { rows, total } = await store.listNotifications(person, query)
      return { rows: rows.map((row) => view(row, language)), total }
    },
    unread: (person) => store.unreadNotifications(person),
    async read(person, id, forOther = false) {
      const but = forOther ? ALWAYS_IN_PANEL : []
      if (!(await store.readNotifications(person, id, timestamp(clock.nowMs()), but)))
        throw notFound('Notification not found. It may be older than what is kept.')
      notify.changes.changed()
    },
    async loggedIn(person, { address, userAgent, language }) {
      try {
        const nowMs = clock.nowMs()
        const at = timestamp(nowMs)
        const since = timestamp(nowMs - PLACES.days * 86_400_000)
        const login = { place: loginPlace(address, userAgent), language, at }
        const found = await store.noteLoginPlace(person, login, { most: PLACES.most, since })
        if (found === 'new')
          await notify.tell(person, 'login.new_place', {
            address,
            device: deviceName(userAgent),
            at,
          })
      } catch (error) {
        log.error('the place of a login was not noted', { error: String(error) })
      }
    },
    choices: createChoices(deps),
    webhooks,
    changes: notify.changes,
    async look() {
      await look.atRecords()
      await look.atMachine()
    },
    happened() {
      asked = true
    },
    async turn() {
      await (running ??= turn().finally(() => (running = null)))
      // Beside the next turns: somebody's webhook that is slow must not keep others from their mails.
      await attempt('webhooks were not told', tellWebhooks)
    },
  }
}
