import type { z } from 'zod'
import type { accountSchema } from '#handlers/panel/accounts/schema.ts'
import type { domainSchema } from '#handlers/panel/domains/schema.ts'
import { CliError } from '../../cli-error.ts'
import { known, knownRows } from './known.ts'
import { apiPath, type PanelClient } from './panel-client.ts'

/** An account as the API answers it. */
export type AccountRecord = z.output<typeof accountSchema>
type DomainRecord = z.output<typeof domainSchema>

/** The argument that names an account. */
export const ACCOUNT = ['<account>', 'username or number'] as const

/** One record: `name` is its number, or what `nameOf` says of it once it is `spelled` as the panel does. */
const find = async <Row extends { id: number }>(
  panel: PanelClient,
  kind: 'account' | 'domain',
  [name, spelled]: readonly [name: string, spelled: string],
  nameOf: keyof Row & string,
): Promise<Row> => {
  if (/^[1-9]\d{0,14}$/.test(name))
    return known<Row>(await panel.call('GET', apiPath`/api/${kind}s/${name}`), 'id', nameOf)
  const data = await panel.call('GET', `/api/${kind}s`, { query: { q: spelled } })
  const found = knownRows<Row>(data, 'id', nameOf).find((row) => row[nameOf] === spelled)
  if (found) return found
  throw new CliError(`There is no ${kind} "${name}". See: berth ${kind}s list`)
}

/** An account by its username or its number. No username consists of digits alone. */
export const findAccount = (panel: PanelClient, name = ''): Promise<AccountRecord> =>
  find(panel, 'account', [name, name.toLowerCase()], 'username')

/** A domain by its name or its number. */
export const findDomain = (panel: PanelClient, name = ''): Promise<DomainRecord> =>
  find(panel, 'domain', [name, asciiName(name)], 'domain_name')

/** A domain as the panel writes it: lower case, A-labels. */
const asciiName = (name: string): string => {
  const text = name.replace(/\.$/, '')
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : text.toLowerCase()
}
