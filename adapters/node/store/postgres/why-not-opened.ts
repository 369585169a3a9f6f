import type { StoreAddress } from '#handlers/domain/config/store-url.ts'

/** Of the system, where nobody listens or no way leads there. */
const NOT_REACHED =
  /^(ECONNREFUSED|ECONNRESET|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)$/
// Class 08: the connection; 57P: the server ends or starts; 53300: it has too many connections.
const NOT_NOW = /^(08|57P|53300)/
const ENDED = /timeout|terminated/

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Whether the server may be there later, without anybody changing a setting. */
export const isNotThereYet = (error: unknown): boolean => {
  const code = codeOf(error)
  if (code !== '') return NOT_REACHED.test(code) || NOT_NOW.test(code)
  return error instanceof Error && ENDED.test(error.message)
}

const ADVICE: Readonly<Record<string, (address: StoreAddress) => string>> = {
  '28P01': ({ user }) =>
    `the password is not that of ${user}. Write the right one into store_password_file.`,
  '28000': ({ user, database }) =>
    `pg_hba.conf of the server lets ${user} into ${database} in no way that was tried. Add a line for it, or use the one that is there.`,
  '3D000': ({ user, database }) =>
    `there is no database ${database}. Make it on the server: createdb --encoding=UTF8 --template=template0 --owner=${user} ${database}`,
  '42501': ({ user, database }) =>
    `${user} may not make tables in ${database}. Make it the owner: ALTER DATABASE ${database} OWNER TO ${user}`,
}

/** What a person can do about it, where the reason is known. */
const advice = (error: unknown, address: StoreAddress): string => {
  const known = ADVICE[codeOf(error)]
  if (known !== undefined) return known(address)
  const message = error instanceof Error ? error.message || codeOf(error) : String(error)
  if (/does not support SSL/.test(message))
    return 'the server offers no TLS. Set ssl = on there, with a certificate; without TLS its address must be of this host.'
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(codeOf(error)))
    return `its certificate is not accepted (${message}). It must be for ${address.host}, and of an authority that the system knows or store_ca_file holds.`
  return message
}

/** A sentence for the administrator, without a secret. */
export const whyNotOpened = (error: unknown, address: StoreAddress): string =>
  `The panel's database (PostgreSQL, ${address.host}, port ${address.port}) cannot be used: ${advice(error, address)}`
