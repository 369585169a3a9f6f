import type { MessageData, MessageKey } from '../../domain/notifications/notification-kinds.ts'

/** Something that is wrong until it is put right. */
export interface Trouble {
  /** Names it; begins with a scope, e.g. `certificate:shop.example`. */
  key: string
  message: MessageKey
  data: MessageData
  /** The account that it is about; null: none, then administrators are told. */
  accountId: number | null
  /** Whether administrators are told, too. */
  to: 'account' | 'everybody'
}

/** What was looked at, and what is wrong there. */
export interface Found {
  /** Beginnings of the names of all troubles that could have been found. */
  scopes: readonly string[]
  troubles: readonly Trouble[]
}
