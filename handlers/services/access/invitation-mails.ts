import { invitationText } from '../../domain/notifications/invitation-text.ts'
import type { NotificationLanguage } from '../../domain/notifications/texts/texts.ts'
import { createRateWindow } from '../records/rate-window.ts'
import type { StandingInvitation } from '../../ports/store/people-store.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Mails of one account within an hour, and to one address: nobody shall be flooded in the panel's name. */
const MOST_OF_ACCOUNT = 20
const MOST_TO_ADDRESS = 3
const HOUR_MS = 3_600_000

/** Sends invitations by mail, beside the link that is handed on. */
export interface InvitationMails {
  /**
   * In the language of who has a login with the address, else in that of who invites. False: it
   * was not sent, for there is no relay, no name for the panel, or too much was sent.
   */
  send(
    invitation: Pick<StandingInvitation, 'email' | 'role' | 'invited_by' | 'expires_at'> & {
      account_id: number
      username: string
      primary_domain: string
    },
    token: string,
    language: NotificationLanguage,
  ): Promise<boolean>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log' | 'panelUrl'>

export const createInvitationMails = ({
  store,
  host,
  clock,
  log,
  panelUrl = null,
}: Deps): InvitationMails => {
  const window = createRateWindow(HOUR_MS, () => clock.nowMs())
  /** Asked for every address, so that an answer takes no longer for those who have a login. */
  const languageOf = async (email: string): Promise<NotificationLanguage | null> => {
    const person = { role: 'person', id: (await store.personByEmail(email))?.id ?? 0 } as const
    const chosen = await store.notificationPerson(person)
    const last = await store.lastLanguage(person)
    return chosen?.language ?? last
  }
  return {
    async send(invitation, token, language) {
      const { email, account_id } = invitation
      // A link to a panel without a certificate for a name is none that a stranger should follow.
      if (panelUrl === null) return false
      try {
        if ((await host.local.mailQueue.status()).relay === null) return false
        if (!window.take(`account ${account_id}`, MOST_OF_ACCOUNT)) return false
        if (!window.take(`to ${email}`, MOST_TO_ADDRESS)) return false
        const link = `${panelUrl}/invitation#${token}`
        const words = invitationText((await languageOf(email)) ?? language, { ...invitation, link })
        await host.local.outgoingMail.submit({ to: email, ...words })
        return true
      } catch (error) {
        log.warn('an invitation was not mailed', { account_id, error: String(error) })
        return false
      }
    },
  }
}
