/** Where the panel's store is on PostgreSQL, read from `[panel] store`. */
export interface StoreAddress {
  /** A name or an address; of a unix socket the absolute path of its directory. */
  host: string
  port: number
  user: string
  database: string
  /** Whether the connection is encrypted and the server's certificate and name are checked. */
  tls: boolean
}

const DEFAULT_PORT = 5432
const PARAMETERS = ['host', 'port', 'user', 'sslmode']
const EXAMPLE =
  'Write "postgres://berth@/berth?host=/run/postgresql" or "postgres://berth@db.example.com/berth?sslmode=verify-full".'
/** PostgreSQL cuts off longer ones. */
const NAME_MAX_BYTES = 63

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** The parts as they are written; a bare `user@/` is a form of libpq that URLs do not have. */
const read = (text: string): URL | null => {
  if (!/^postgres(ql)?:\/\//.test(text)) return null
  const written = text.replace(/^([a-z]+:\/\/[^/?#]*@)(?=[/?])/, '$1localhost')
  return URL.canParse(written) ? new URL(written) : null
}

const isName = (name: string): boolean =>
  // eslint-disable-next-line no-control-regex -- what no name of PostgreSQL may have
  name !== '' && !/[\0-\x1f]/.test(name) && new TextEncoder().encode(name).length <= NAME_MAX_BYTES

const portOf = (text: string): number | null => {
  if (text === '') return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : null
}

/**
 * Reads `[panel] store`: `postgres://user@host:port/database?sslmode=verify-full`, or
 * `postgres://user@/database?host=/run/postgresql` for a unix socket. A password does not belong
 * there, and beyond this host nothing goes without TLS whose certificate is checked. Answers what
 * is wrong as a text for people, never with the URL in it.
 */
export const parseStoreUrl = (text: string): StoreAddress | string => {
  const url = read(text)
  if (url === null) return `is not the URL of a PostgreSQL database. ${EXAMPLE}`
  if (url.password !== '' || url.searchParams.has('password'))
    return 'holds a password, which all who may read this file would see. Write it to a file of mode 0600, name that as store_password_file, and take it out of the URL.'
  const strange = [...url.searchParams.keys()].find((key) => !PARAMETERS.includes(key))
  if (strange !== undefined)
    return `has a parameter that is not known: "${strange}". There are ${PARAMETERS.join(', ')}.`
  try {
    const given = (key: string): string => url.searchParams.get(key) ?? ''
    const user = decodeURIComponent(url.username) || given('user')
    const database = decodeURIComponent(url.pathname.slice(1))
    const host = given('host') || url.hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost'
    const port = portOf(given('port') || url.port)
    if (!isName(user)) return `names no user. ${EXAMPLE}`
    if (!isName(database) || database.includes('/')) return `names no database. ${EXAMPLE}`
    if (port === null) return 'has a port that is not between 1 and 65535.'
    const mode = given('sslmode')
    if (host.startsWith('/'))
      return mode === ''
        ? { host, port, user, database, tls: false }
        : 'asks for TLS at a unix socket, which has none. Take sslmode out.'
    if (mode === '' && LOOPBACK.test(host)) return { host, port, user, database, tls: false }
    if (mode !== 'verify-full')
      return 'names a server on another host without sslmode=verify-full: whoever is in between could read and change all records. Add "?sslmode=verify-full", and store_ca_file where the system does not know the authority.'
    return { host, port, user, database, tls: true }
  } catch {
    return 'has a broken % escape. Write "%" itself as %25.'
  }
}
