import type { MemberRole } from '../../ports/store/records.ts'
import type { MailText } from './mail-text.ts'
import { messageValue } from './notification-kinds.ts'
import type { NotificationLanguage } from './texts/texts.ts'

/** What an invitation by mail names. */
export interface MailedInvitation {
  username: string
  primary_domain: string
  role: MemberRole
  invited_by: string
  /** UTC. */
  expires_at: string
  link: string
}

/** It says the same whether or not somebody logs in with the address already. */
const TEXTS: Readonly<
  Record<
    NotificationLanguage,
    {
      roles: Readonly<Record<MemberRole, string>>
      mail(told: MailedInvitation, role: string): MailText
    }
  >
> = {
  en: {
    roles: { owner: 'owner', developer: 'developer', reader: 'reader' },
    mail: ({ username, primary_domain, invited_by, expires_at, link }, role) => ({
      subject: `Berth: invitation to ${username} (${primary_domain})`,
      text: `Hello,

${invited_by} invites you to work in the hosting account ${username} (${primary_domain}) as ${role}.

Accept it here, once, until ${expires_at} UTC:
${link}

If you have a login with this address here, log in first and open the link then. Whoever has
the link can accept it, so pass it on to nobody. If you know nothing of this, do nothing.
`,
    }),
  },
  de: {
    roles: { owner: 'Inhaber', developer: 'Entwickler', reader: 'Leser' },
    mail: ({ username, primary_domain, invited_by, expires_at, link }, role) => ({
      subject: `Berth: Einladung zu ${username} (${primary_domain})`,
      text: `Hallo,

${invited_by} lädt Sie ein, im Hosting-Konto ${username} (${primary_domain}) zu arbeiten, als ${role}.

Hier nehmen Sie an, einmal und bis ${expires_at} UTC:
${link}

Wenn Sie sich hier mit dieser Adresse schon anmelden, melden Sie sich zuerst an und öffnen Sie den
Link dann. Wer den Link hat, kann annehmen: Geben Sie ihn nicht weiter. Wenn Sie nichts davon
wissen, tun Sie nichts.
`,
    }),
  },
}

/** The mail of an invitation; a subject of one line, and plain text. */
export const invitationText = (
  language: NotificationLanguage,
  invitation: MailedInvitation,
): MailText => {
  const { roles, mail } = TEXTS[language]
  const told = { ...invitation, invited_by: messageValue(invitation.invited_by) }
  const { subject, text } = mail(told, roles[invitation.role])
  return { subject: subject.slice(0, 250), text }
}
