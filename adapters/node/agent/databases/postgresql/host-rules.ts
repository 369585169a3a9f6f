import { isRemoteAddress, withBits } from '#handlers/domain/databases/remote-address.ts'
import type { RemoteLogin } from '../remote/remote-logins.ts'

const NAME = /^[a-z0-9]+_[a-z0-9_]{1,32}$/

const quoted = (name: string): string => {
  if (!NAME.test(name)) throw new Error('not a name of an account')
  return `"${name}"`
}

/** A line of `pg_hba.conf` as this file writes it. */
const RULE =
  /^hostssl "[a-z0-9]+_[a-z0-9_]{1,32}" "[a-z0-9]+_[a-z0-9_]{1,32}"(,"[a-z0-9]+_[a-z0-9_]{1,32}")* ([0-9a-f.:]+\/\d{1,3}) scram-sha-256$/

/** Whether a line lets in users of accounts from an address over TLS, and nothing more. */
export const isRule = (line: string): boolean => {
  const address = RULE.exec(line)?.[2]
  return address !== undefined && isRemoteAddress(address.replace(/\/(32|128)$/, ''))
}

/** Lines that let these users into the databases in which they have rights, from their addresses, over TLS alone. */
export const rulesFor = (logins: readonly RemoteLogin[]): string[] => {
  const users = new Map<string, Set<string>>()
  for (const { user, grants, addresses } of logins)
    for (const { database } of grants)
      for (const address of addresses) {
        const key = `${quoted(database)} ${withBits(address)}`
        users.set(key, (users.get(key) ?? new Set()).add(quoted(user)))
      }
  return [...users].map(([key, roles]) => {
    const [database = '', address = ''] = key.split(' ')
    const line = `hostssl ${database} ${[...roles].join(',')} ${address} scram-sha-256`
    if (!isRule(line)) throw new Error('a rule of pg_hba.conf does not say what was meant')
    return line
  })
}
