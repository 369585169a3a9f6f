import type { MailSender } from '#handlers/domain/mail/rewrite-head.ts'
import { parseMailAddress } from '#handlers/domain/mail/mail-address.ts'
import type { QueueContext } from './queue-context.ts'
import { refuse } from './refusal.ts'

/** Sender of the panel's own messages. */
export const panelAddress = ({ config, hello }: Pick<QueueContext, 'config' | 'hello'>): string =>
  config().from ?? `berth@${hello()}`

/** Whose addresses an account ('' is the panel) may use. Throws `Refusal` for one that may not send. */
export const senderOf = async (context: QueueContext, account: string): Promise<MailSender> => {
  if (account === '') {
    const fallback = panelAddress(context)
    const domain = parseMailAddress(fallback)?.domain
    return { domains: domain === undefined ? [] : [domain], fallback }
  }
  const facts = await context.account(account)
  if (facts === null) throw refuse('unavailable', 'There is no such account on this host.')
  if (facts.suspended) throw refuse('unavailable', 'The account is suspended.')
  const main = context.usage.mainDomain(account)
  const primary = facts.domains.find((domain) => domain === main) ?? facts.domains[0]
  if (primary === undefined)
    throw refuse('unavailable', 'The account has no domain yet that it could send from.')
  return { domains: facts.domains, fallback: `${account}@${primary}` }
}
