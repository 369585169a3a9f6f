/** Where the shared cache layer lives, read from `redis_url`. */
export interface RedisAddress {
  /** `cluster`: the nodes are entrances, the rest is found through them. */
  kind: 'single' | 'cluster'
  nodes: { host: string; port: number }[]
  /** Unix socket; then there are no nodes. */
  socketPath: string | null
  tls: boolean
  username: string | null
  password: string | null
  database: number
}

const DEFAULT_PORT = 6379

/** `host`, `host:port`, `[v6]:port`. */
const readNode = (text: string): { host: string; port: number } | null => {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@[\]]+))(?::(\d{1,5}))?$/i.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = match?.[3] === undefined ? DEFAULT_PORT : Number(match[3])
  return host === undefined || port < 1 || port > 65_535 ? null : { host, port }
}

const readDatabase = (text: string): number | null => {
  if (text === '') return 0
  return /^\d{1,5}$/.test(text) ? Number(text) : null
}

const readSocket = (rest: string): RedisAddress | string => {
  const [path = '', query = ''] = rest.split('?', 2)
  const parameters = new URLSearchParams(query)
  const database = readDatabase(parameters.get('db') ?? '')
  if (!path.startsWith('/'))
    return 'must name an absolute path. Write "unix:///run/redis/redis.sock".'
  if (database === null) return 'has a database that is not a number. Write "?db=0".'
  return {
    kind: 'single',
    nodes: [],
    socketPath: decodeURIComponent(path),
    tls: false,
    username: parameters.get('user'),
    password: parameters.get('password'),
    database,
  }
}

const readCredentials = (text: string): Pick<RedisAddress, 'username' | 'password'> => {
  const colon = text.indexOf(':')
  const [user, secret] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  return {
    username: user === '' ? null : decodeURIComponent(user),
    password: secret === '' ? null : decodeURIComponent(secret),
  }
}

/** One or several `[scheme://][user:password@]host[:port][/db]`; credentials count for all. */
const readServers = (cluster: boolean, tls: boolean, text: string): RedisAddress | string => {
  const nodes: RedisAddress['nodes'] = []
  let credentials: Pick<RedisAddress, 'username' | 'password'> = { username: null, password: null }
  let database = 0
  for (const part of text.split(',')) {
    const bare = part.trim().replace(/^rediss?(?:\+cluster)?:\/\//i, '')
    const at = bare.lastIndexOf('@')
    if (at >= 0) credentials = readCredentials(bare.slice(0, at))
    const [server = '', db = '', ...more] = bare.slice(at + 1).split('/')
    const node = readNode(server)
    if (node === null || more.length > 0)
      return 'does not name a server. Write "redis://:password@host:6379", with "/", "@" and "," in the password as %2F, %40 and %2C.'
    const number = readDatabase(db)
    if (number === null) return 'has a database that is not a number. Write "redis://…:6379/0".'
    database = Math.max(database, number)
    nodes.push(node)
  }
  const isCluster = cluster || nodes.length > 1
  if (isCluster && database !== 0) return 'names a database, but a cluster has only number 0.'
  const kind = isCluster ? 'cluster' : 'single'
  return { kind, nodes, socketPath: null, tls, ...credentials, database }
}

/**
 * Reads `redis_url`: `redis://[user]:password@host:6379/0`, `rediss://` (TLS),
 * `unix:///path?user=&password=&db=`; several servers separated by commas, or
 * the scheme `redis+cluster://` (`rediss+cluster://`), are a Redis Cluster.
 * Answers what is wrong as a text for people, never with the URL in it.
 */
export const parseRedisUrl = (url: string): RedisAddress | string => {
  const [, scheme = '', rest = ''] =
    /^(unix|rediss?(?:\+cluster)?):\/\/(.*)$/is.exec(url.trim()) ?? []
  const name = scheme.toLowerCase()
  try {
    if (name === 'unix') return readSocket(rest)
    if (name !== '') return readServers(name.endsWith('+cluster'), name.startsWith('rediss'), rest)
  } catch {
    return 'has a broken % escape. Write "%" itself as %25.'
  }
  return 'is not a Redis URL. Write "redis://:password@host:6379" or "unix:///run/redis/redis.sock".'
}

/**
 * Why the URL cannot be used; null when it can. Every tenant of this host can
 * connect to an address, so without a password each could change the pages of all.
 */
export const redisUrlProblem = (url: string): string | null => {
  const address = parseRedisUrl(url)
  if (typeof address === 'string') return address
  if (address.socketPath !== null || address.password !== null) return null
  return 'has no password: every account on this host could then read and change all cached pages. Set requirepass (or an ACL user) in Redis and write "redis://:password@host:6379", or use a unix socket that accounts cannot open: "unix:///run/redis/redis.sock".'
}

/** The same address with `mask` in place of its password; a URL that cannot be read is masked whole. */
export const maskRedisUrl = (url: string, mask: string): string => {
  const address = parseRedisUrl(url)
  if (typeof address === 'string') return mask
  const { socketPath, username, password, nodes, database } = address
  if (socketPath !== null) {
    const query = new URLSearchParams()
    if (username !== null) query.set('user', username)
    if (password !== null) query.set('password', mask)
    if (database !== 0) query.set('db', String(database))
    return `unix://${encodeURI(socketPath)}${query.size === 0 ? '' : `?${query}`}`
  }
  const scheme = /^[a-z+]+/i.exec(url.trim())?.[0].toLowerCase() ?? 'redis'
  // What stands alone before the "@" may be a password that lacks its colon.
  const credentials =
    password !== null
      ? `${encodeURIComponent(username ?? '')}:${mask}@`
      : username !== null
        ? `${mask}@`
        : ''
  const servers = nodes.map(
    ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
  )
  return `${scheme}://${credentials}${servers.join(',')}${database === 0 ? '' : `/${database}`}`
}
