import { z } from 'zod'
import { CliError } from '../../cli-error.ts'
import { apiPath, type PanelClient } from './panel-client.ts'

const accountSchema = z.looseObject({
  id: z.number(),
  username: z.string(),
  primary_domain: z.string(),
  status: z.string(),
})
const domainSchema = z.looseObject({
  id: z.number(),
  account_id: z.number(),
  domain_name: z.string(),
})

/** An account as the API answers it. */
export type AccountRecord = z.infer<typeof accountSchema>
export type DomainRecord = z.infer<typeof domainSchema>

const isId = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text)

/** An account by its username or its number. No username consists of digits alone. */
export const findAccount = async (panel: PanelClient, name: string): Promise<AccountRecord> => {
  if (isId(name))
    return accountSchema.parse(await panel.call('GET', apiPath`/api/accounts/${name}`))
  const wanted = name.toLowerCase()
  const rows = z
    .array(accountSchema)
    .parse(await panel.call('GET', '/api/accounts', { query: { q: wanted } }))
  const found = rows.find(({ username }) => username === wanted)
  if (found) return found
  throw new CliError(`There is no account "${name}". See: berth accounts list`)
}

/** A domain by its name or its number. */
export const findDomain = async (panel: PanelClient, name: string): Promise<DomainRecord> => {
  if (isId(name)) return domainSchema.parse(await panel.call('GET', apiPath`/api/domains/${name}`))
  const wanted = asciiName(name)
  const rows = z
    .array(domainSchema)
    .parse(await panel.call('GET', '/api/domains', { query: { q: wanted } }))
  const found = rows.find(({ domain_name: domain }) => domain === wanted)
  if (found) return found
  throw new CliError(`There is no domain "${name}". See: berth domains list`)
}

/** A domain as the panel writes it: lower case, A-labels. */
const asciiName = (name: string): string => {
  const text = name.replace(/\.$/, '')
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : text.toLowerCase()
}
