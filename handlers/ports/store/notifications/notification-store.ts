import type { UserRef } from '../access-store.ts'
import type { Timestamp, UserKind } from '../column-types.ts'
import type { ListQuery, Page } from '../list-query.ts'

/** Something that one person is told. */
export interface NotificationRow {
  id: number
  role: UserKind
  /** Id of the administrator, reseller, account or person. */
  owner_id: number
  /** The account that it is about; null: none. */
  about_id: number | null
  kind: string
  /** Key of the text; `data` is what the text names. */
  message: string
  severity: 'info' | 'warning' | 'error'
  /** A trouble that stands is told again only at a higher one. */
  rank: number
  /** Names the trouble, so that it is told once while it stands; null: it is over as soon as it is told. */
  trouble: string | null
  data: Readonly<Record<string, string | number>>
  /** Whether the panel lists it. */
  shown: boolean
  created_at: Timestamp
  read_at: Timestamp | null
  /** When the trouble was over. */
  resolved_at: Timestamp | null
  /** Unix seconds from which on a mail is due; null: none is. */
  mail_at_secs: number | null
  mail_tries: number
  /** What the person's webhook has heard of it; `never`: it does not. */
  hook: 'never' | 'due' | 'told'
}

/** One that is about to be told. */
export type NewNotification = Omit<NotificationRow, 'id' | 'read_at' | 'resolved_at' | 'mail_tries'>

/** A trouble that stands for a person. */
export type StandingTrouble = Pick<NotificationRow, 'role' | 'owner_id' | 'about_id' | 'rank'> & {
  trouble: string
}

/** What a person chose. */
export interface NotificationPersonRow {
  role: UserKind
  owner_id: number
  /** By kind, as it was sent; absent kinds have their presets. */
  chosen: unknown
  /** Where mails go of who has no address of his own, as administrators; null: nowhere. */
  email: string | null
  /** Of mails; null: that of the last login. */
  language: 'en' | 'de' | null
  /** Unix seconds at which the present hour of mails began, and how many went out in it. */
  mail_hour_secs: number
  mails_sent: number
}

/** Where a person is told by HTTP. */
export interface NotificationWebhookRow {
  role: UserKind
  owner_id: number
  url: string
  /** Signs what is sent; shown once. */
  secret: string
  created_at: Timestamp
  /** Failures since the last success. */
  tries: number
  /** Unix seconds before which it is not tried. */
  next_at_secs: number
}

/** One attempt to tell a webhook. */
export interface NotificationDeliveryRow {
  id: number
  role: UserKind
  owner_id: number
  /** Null: a test. */
  notification_id: number | null
  at: Timestamp
  /** HTTP status; null: there was no answer. */
  status: number | null
  error: string | null
  duration_ms: number
}

/** Of one person: how many rows at most, and since when they are kept. */
export interface NotificationBounds {
  most: number
  /** Rows from before are forgotten. */
  since: Timestamp
}

/** Part of the store: what people are told, and how. */
export interface NotificationStore {
  /**
   * Tells it, in one change: a trouble that stands for its person is told anew (unread, at the
   * new time) where the rank is higher; at a lower one its text changes in silence; at the same
   * one nothing happens. Beyond the bounds the oldest go, those that are over before those that
   * stand.
   */
  tellNotifications(rows: readonly NewNotification[], bounds: NotificationBounds): Promise<void>
  /** Ends troubles for everybody: read, no mail any more; webhooks that heard of them are told. */
  resolveTroubles(troubles: readonly string[], at: Timestamp): Promise<void>
  /** All that stand, of everybody. */
  standingTroubles(): Promise<StandingTrouble[]>
  /** What the panel shows to one person, newest first unless the query says otherwise. Filters: `kind`, `unread`, `standing`. */
  listNotifications(owner: UserRef, query?: ListQuery): Promise<Page<NotificationRow>>
  /** How many shown ones are unread, and the highest id; 0 without any. */
  unreadNotifications(owner: UserRef): Promise<{ unread: number; latest: number }>
  /** Notes that one (null: each) was read, of `but` none. False when the person has no such one. */
  readNotifications(
    owner: UserRef,
    id: number | null,
    at: Timestamp,
    but?: readonly string[],
  ): Promise<boolean>

  /** Mails that are due, oldest first, of active persons; those of others are dropped. */
  dueMails(nowSecs: number, limit: number): Promise<NotificationRow[]>
  /** What became of mails: sent (null), or due later. */
  settleMails(ids: readonly number[], nextAtSecs: number | null): Promise<void>
  /** Puts mails off that nobody tried to send. */
  postponeMails(ids: readonly number[], untilSecs: number): Promise<void>
  /** Null: nothing was chosen. */
  notificationPerson(owner: UserRef): Promise<NotificationPersonRow | null>
  /** Everybody who chose something, in one read. */
  listNotificationPersons(): Promise<NotificationPersonRow[]>
  /** Keeps what a person chose; counts of mails stay. */
  putNotificationPerson(
    row: Omit<NotificationPersonRow, 'mail_hour_secs' | 'mails_sent'>,
  ): Promise<void>
  /** Keeps how many mails went out to a person; what it chose stays. */
  notePersonMails(
    owner: UserRef,
    count: Pick<NotificationPersonRow, 'mail_hour_secs' | 'mails_sent'>,
  ): Promise<void>

  /** With its secret; null: none is set. */
  notificationWebhook(owner: UserRef): Promise<NotificationWebhookRow | null>
  /** Sets or replaces it; null takes it away. What waited for the former one is not told to the new one. */
  setNotificationWebhook(owner: UserRef, row: NotificationWebhookRow | null): Promise<void>
  /** Webhooks of active persons that may be tried and have something to tell. */
  dueWebhooks(nowSecs: number, limit: number): Promise<NotificationWebhookRow[]>
  /** What the webhook of a person is still to be told, oldest first. */
  untoldNotifications(owner: UserRef, limit: number): Promise<NotificationRow[]>
  /**
   * Notes an attempt, and of each person the newest `keep`. `told`: rows that it has heard of
   * now; `given`: rows that it is not told any more. `next`: failures in a row and when to go on;
   * absent for a test.
   */
  noteDelivery(
    row: Omit<NotificationDeliveryRow, 'id'>,
    change: {
      told?: readonly number[]
      given?: readonly number[]
      next?: Pick<NotificationWebhookRow, 'tries' | 'next_at_secs'>
      keep: number
    },
  ): Promise<void>
  /** Newest first. */
  listDeliveries(owner: UserRef): Promise<NotificationDeliveryRow[]>

  /**
   * Notes a login. `new`: there were others, none of them from this place. Of a person the
   * `most` latest are kept, and none from before `since`.
   */
  noteLoginPlace(
    owner: UserRef,
    login: { place: string; language: 'en' | 'de' | null; at: Timestamp },
    bounds: { most: number; since: Timestamp },
  ): Promise<'first' | 'known' | 'new'>
  /** Of the person's last login that told one. */
  lastLanguage(owner: UserRef): Promise<'en' | 'de' | null>
}
