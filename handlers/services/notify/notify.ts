import {
  MESSAGES,
  messageValue,
  type MessageData,
  type MessageKey,
} from '../../domain/notifications/notification-kinds.ts'
import { preferencesOf, type Preferences } from '../../domain/notifications/preferences.ts'
import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { NewNotification } from '../../ports/store/notifications/notification-store.ts'
import { createChanges, type Changes } from '../records/changes.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { Trouble } from './trouble.ts'

export type { Found, Trouble } from './trouble.ts'

/** Of one person. */
const MOST_KEPT = 500
const KEPT_DAYS = 180
/** Troubles beyond these are not told one by one: there is room for what happens beside them. */
const MOST_STANDING = 400
/** Of those of one account, in the list of an administrator: one account must not fill it. */
const MOST_OF_ACCOUNT = 40
/** In one change of the store. */
const BATCH = 100

/** The one place that tells people of the panel what happened. */
export interface Notify {
  /** Tells one person something that is over when it is told. Never fails: what was done stays done. */
  tell(person: UserRef, message: MessageKey, data: MessageData, aboutId?: number): Promise<void>
  /** The same to all administrators. */
  tellAdministrators(message: MessageKey, data: MessageData): Promise<void>
  /**
   * Makes the troubles whose names begin with one of `scopes` those that are given: new ones are
   * told, those that are not there any more are over.
   */
  reconcile(scopes: readonly string[], troubles: readonly Trouble[]): Promise<void>
  /** Names of the troubles that stand. */
  standing(): Promise<Set<string>>
  /** Wakes who follows what people are told. */
  changes: Changes
}

const keyOf = (person: UserRef): string => `${person.role}:${person.id}`

const cleaned = (data: MessageData): MessageData =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === 'string' ? messageValue(value) : value,
    ]),
  )

export const createNotify = (deps: Pick<ServiceDeps, 'store' | 'clock' | 'log'>): Notify => {
  const { store, clock, log } = deps
  const changes = createChanges()

  const rowFor = (
    person: UserRef,
    preferences: Preferences,
    told: {
      message: MessageKey
      data: MessageData
      trouble: string | null
      aboutId: number | null
    },
  ): NewNotification[] => {
    const { kind, severity, rank } = MESSAGES[told.message]
    const { panel, mail, webhook } = preferences[kind]
    if (!panel && !mail && !webhook) return []
    const nowMs = clock.nowMs()
    return [
      {
        role: person.role,
        owner_id: person.id,
        about_id: told.aboutId,
        kind,
        message: told.message,
        severity,
        rank,
        trouble: told.trouble,
        data: cleaned(told.data),
        shown: panel,
        created_at: timestamp(nowMs),
        mail_at_secs: mail ? unixSecs(nowMs) : null,
        hook: webhook ? 'due' : 'never',
      },
    ]
  }
  const write = async (rows: readonly NewNotification[]): Promise<void> => {
    const since = timestamp(clock.nowMs() - KEPT_DAYS * 86_400_000)
    for (let first = 0; first < rows.length; first += BATCH)
      await store.tellNotifications(rows.slice(first, first + BATCH), { most: MOST_KEPT, since })
    if (rows.length > 0) changes.changed()
  }
  const administrators = async (): Promise<UserRef[]> =>
    (await store.listAdmins()).rows
      .filter(({ status }) => status === 'active')
      .map(({ id }) => ({ role: 'admin', id }))

  const tellAll = async (
    people: () => Promise<UserRef[]>,
    message: MessageKey,
    data: MessageData,
    aboutId: number | null,
  ): Promise<void> => {
    try {
      const rows: NewNotification[] = []
      for (const person of await people()) {
        const chosen = (await store.notificationPerson(person))?.chosen
        const told = { message, data, trouble: null, aboutId }
        rows.push(...rowFor(person, preferencesOf(person.role, chosen), told))
      }
      await write(rows)
    } catch (error) {
      log.error('somebody was not told', { message, error: String(error) })
    }
  }

  return {
    changes,
    tell: (person, message, data, aboutId) =>
      tellAll(() => Promise.resolve([person]), message, data, aboutId ?? null),
    tellAdministrators: (message, data) => tellAll(administrators, message, data, null),
    async standing() {
      return new Set((await store.standingTroubles()).map(({ trouble }) => trouble))
    },
    async reconcile(scopes, troubles) {
      const standing = await store.standingTroubles()
      const present = new Set(troubles.map(({ key }) => key))
      const over = standing
        .map(({ trouble }) => trouble)
        .filter((key) => !present.has(key) && scopes.some((scope) => key.startsWith(scope)))
      if (over.length > 0) {
        await store.resolveTroubles([...new Set(over)], timestamp(clock.nowMs()))
        changes.changed()
      }

      const ended = new Set(over)
      const known = new Map<string, number>()
      const counts = new Map<string, number>()
      const count = (person: UserRef, aboutId: number | null): string[] => [
        keyOf(person),
        ...(person.role === 'admin' && aboutId !== null ? [`${keyOf(person)} ${aboutId}`] : []),
      ]
      const add = (names: readonly string[]): void => {
        for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
      }
      for (const { role, owner_id: id, about_id, rank, trouble } of standing) {
        if (ended.has(trouble)) continue
        known.set(`${keyOf({ role, id })} ${trouble}`, rank)
        add(count({ role, id }, about_id))
      }
      const hasRoom = (names: readonly string[]): boolean =>
        names.every(
          (name, index) =>
            (counts.get(name) ?? 0) < (index === 0 ? MOST_STANDING : MOST_OF_ACCOUNT),
        )

      const admins = await administrators()
      const chosen = new Map(
        (await store.listNotificationPersons()).map((row) => [
          keyOf({ role: row.role, id: row.owner_id }),
          row.chosen,
        ]),
      )
      const rows: NewNotification[] = []
      for (const { key, message, data, accountId, to } of troubles) {
        const account: UserRef[] = accountId === null ? [] : [{ role: 'account', id: accountId }]
        for (const person of [...account, ...(to === 'everybody' ? admins : [])]) {
          const rank = known.get(`${keyOf(person)} ${key}`)
          if (rank === MESSAGES[message].rank) continue
          const names = count(person, accountId)
          if (rank === undefined && !hasRoom(names)) continue
          const told = { message, data, trouble: key, aboutId: accountId }
          const row = rowFor(person, preferencesOf(person.role, chosen.get(keyOf(person))), told)
          if (rank === undefined && row.length > 0) add(names)
          rows.push(...row)
        }
      }
      await write(rows)
    },
  }
}
