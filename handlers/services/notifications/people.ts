import { languageOf, type NotificationLanguage } from '../../domain/notifications/texts/texts.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { NotificationPersonRow } from '../../ports/store/notifications/notification-store.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Somebody who is told. */
export interface Addressee {
  username: string
  /** Null: there is no address to write to. */
  email: string | null
  language: NotificationLanguage
  kept: NotificationPersonRow | null
}

/** The language that a browser asks for, to be kept with a login. */
export const loginLanguage = (headers: Headers): NotificationLanguage | null => {
  const chosen = /(?:^|;\s*)berth_language=(en|de)(?:;|$)/.exec(headers.get('cookie') ?? '')?.[1]
  return languageOf(chosen ?? headers.get('accept-language') ?? '')
}

/** How somebody is reached; null for who is not there any more. */
export const findAddressee = async (
  { store }: Pick<ServiceDeps, 'store'>,
  person: UserRef,
): Promise<Addressee | null> => {
  const kept = await store.notificationPerson(person)
  const language = kept?.language ?? (await store.lastLanguage(person)) ?? 'en'
  const told = (username: string, email: string | null): Addressee => ({
    ...{ username, email, language, kept },
  })
  const own = kept?.email ?? null
  switch (person.role) {
    case 'admin': {
      const admin = await store.adminById(person.id)
      return admin && told(admin.username, own)
    }
    case 'reseller': {
      const reseller = await store.resellerById(person.id)
      return reseller && told(reseller.username, own)
    }
    case 'person': {
      const found = await store.personById(person.id)
      return found && told(found.name || found.email, found.email)
    }
    case 'account': {
      const account = await store.accountById(person.id)
      return account && told(account.username, account.email || null)
    }
  }
}
