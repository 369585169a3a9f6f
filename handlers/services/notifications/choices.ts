import type { NotificationKind } from '../../domain/notifications/notification-kinds.ts'
import {
  ALWAYS_IN_PANEL,
  kindsFor,
  preferencesOf,
  type Ways,
} from '../../domain/notifications/preferences.ts'
import type { NotificationLanguage } from '../../domain/notifications/texts/texts.ts'
import { conflict, invalid } from '../../errors.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { findAddressee } from './people.ts'

/** Why mails do not go out; null: they do, as far as is known. */
export type MailObstacle = 'no_address' | 'no_relay' | 'unavailable' | null

/** How somebody is told. */
export interface ChoicesView {
  kinds: (Ways & { kind: NotificationKind; always_in_panel: boolean })[]
  email: string | null
  /** Of mails; null: as in the browser of the last login. */
  language: NotificationLanguage | null
  mail_obstacle: MailObstacle
  webhook: boolean
}

/** What is absent stays. */
type ChosenWays = { [Way in keyof Ways]?: Ways[Way] | undefined }

/** What may be changed; what is absent stays. */
export interface ChoicesChange {
  kinds?: Readonly<Partial<Record<NotificationKind, ChosenWays>>> | undefined
  /** Of an administrator; null: none. */
  email?: string | null | undefined
  language?: NotificationLanguage | null | undefined
}

/** What people chose of how they are told. */
export interface Choices {
  get(person: UserRef): Promise<ChoicesView>
  /** 400 for a kind that the person is not told of or that must stay in the panel, 409 for the address of an account. */
  change(person: UserRef, change: ChoicesChange): Promise<ChoicesView>
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

export const createChoices = ({ store, host }: Pick<ServiceDeps, 'store' | 'host'>): Choices => {
  const obstacleOf = async (email: string | null): Promise<MailObstacle> => {
    if (email === null) return 'no_address'
    try {
      return (await host.local.mailQueue.status()).relay === null ? 'no_relay' : null
    } catch {
      return 'unavailable'
    }
  }
  const get = async (person: UserRef): Promise<ChoicesView> => {
    const addressee = await findAddressee({ store }, person)
    const preferences = preferencesOf(person.role, addressee?.kept?.chosen)
    const email = addressee?.email ?? null
    return {
      kinds: kindsFor(person.role).map((kind) => ({
        kind,
        ...preferences[kind],
        always_in_panel: ALWAYS_IN_PANEL.includes(kind),
      })),
      email,
      language: addressee?.kept?.language ?? null,
      mail_obstacle: await obstacleOf(email),
      webhook: (await store.notificationWebhook(person)) !== null,
    }
  }
  return {
    get,
    async change(person, { kinds = {}, email, language }) {
      const known = kindsFor(person.role)
      for (const [kind, ways] of Object.entries(kinds)) {
        const named = known.find((one) => one === kind)
        if (named === undefined)
          throw invalid('kinds', `kinds may name ${known.join(', ')}; you are not told of ${kind}.`)
        if (ways?.panel === false && ALWAYS_IN_PANEL.includes(named))
          throw invalid('kinds', `kinds.${kind}.panel must be true: nobody can hide that.`)
      }
      if (email !== undefined && (person.role === 'account' || person.role === 'person'))
        throw conflict(
          'Mails to an account go to its own address. Change that of the account.',
          'email',
        )
      const row = await store.notificationPerson(person)
      const before = isRecord(row?.chosen) ? row.chosen : {}
      const chosen = Object.fromEntries(
        known.flatMap((kind) => {
          const old = isRecord(before[kind]) ? before[kind] : {}
          const merged = { ...old, ...kinds[kind] }
          return Object.keys(merged).length === 0 ? [] : [[kind, merged]]
        }),
      )
      await store.putNotificationPerson({
        role: person.role,
        owner_id: person.id,
        chosen,
        email: email === undefined ? (row?.email ?? null) : email,
        language: language === undefined ? (row?.language ?? null) : language,
      })
      return get(person)
    },
  }
}
