import type { UserKind } from '../../ports/store/column-types.ts'
import { NOTIFICATION_KINDS, type NotificationKind } from './notification-kinds.ts'

/** How somebody is told of one kind. */
export interface Ways {
  panel: boolean
  mail: boolean
  /** Takes effect where the person has a webhook. */
  webhook: boolean
}

/** How somebody is told, by kind. */
export type Preferences = Readonly<Record<NotificationKind, Ways>>

/** Who takes an account over must not be able to keep its owner from seeing it in the panel. */
export const ALWAYS_IN_PANEL: readonly NotificationKind[] = ['security', 'login']

/** Resellers and people of accounts are told what they did themselves, and who came in as them. */
const OF_OTHERS: readonly NotificationKind[] = NOTIFICATION_KINDS.filter(
  (kind) => !['job', 'login', 'security'].includes(kind),
)

/** What the other role alone is told: the machine's matters, and how the cron jobs of accounts go. */
const FOREIGN: Readonly<Record<UserKind, readonly NotificationKind[]>> = {
  admin: ['cron'],
  account: ['disk', 'update', 'mail', 'machine'],
  reseller: OF_OTHERS,
  person: OF_OTHERS,
}

/** The kinds that there are for somebody. */
export const kindsFor = (role: UserKind): NotificationKind[] =>
  NOTIFICATION_KINDS.filter((kind) => !FOREIGN[role].includes(kind))

/**
 * Without mail as long as nobody asks for it. Of administrators: what comes from single
 * accounts, since theirs are many; of accounts: jobs, whose end they mostly wait for.
 */
const QUIET: Readonly<Record<UserKind, readonly NotificationKind[]>> = {
  admin: ['quota', 'job', 'update', 'mail'],
  account: ['job'],
  reseller: ['job'],
  person: ['job'],
}

const preset = (role: UserKind, kind: NotificationKind): Ways => ({
  panel: true,
  mail: !QUIET[role].includes(kind),
  webhook: true,
})

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** What somebody has chosen (`chosen`: as it was kept, by kind), over what holds without a choice. */
export const preferencesOf = (role: UserKind, chosen: unknown): Preferences => {
  const kept = isRecord(chosen) ? chosen : {}
  const ways = (kind: NotificationKind): Ways => {
    const own = Object.hasOwn(kept, kind) && isRecord(kept[kind]) ? kept[kind] : {}
    const said = (way: keyof Ways): boolean => {
      const value = own[way]
      return typeof value === 'boolean' ? value : preset(role, kind)[way]
    }
    return {
      panel: ALWAYS_IN_PANEL.includes(kind) || said('panel'),
      mail: said('mail'),
      webhook: said('webhook'),
    }
  }
  return Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, ways(kind)])) as Preferences
}
