import { isLetIn } from '#handlers/domain/databases/remote-address.ts'
import type { RemoteLogin, RemoteLogins, RemoteServing } from '../remote/remote-logins.ts'
import { grantStatements } from './further-users.ts'
import { remoteHosts } from './remote-hosts.ts'
import type { MariadbServer } from './server.ts'
import type { MariadbSession } from './session.ts'
import { hostsOf } from './remote-users.ts'
import { remoteLimits, userAt, viaHash } from './statements.ts'
import { storedHash } from './stored-hash.ts'

/** This machine over TCP, where the server takes it for `localhost`. */
const LOCAL = ['localhost', '127.0.0.1', '::1']

/** Ends what a user has open from addresses that are not let in (any more). */
const endOthers = async ({ run }: MariadbSession, login: RemoteLogin): Promise<void> => {
  const rows = await run(
    "SELECT id, host FROM information_schema.processlist WHERE user = ? AND host <> 'localhost'",
    [login.user],
  )
  for (const { id, host } of rows) {
    const address = String(host).replace(/:\d+$/, '')
    if (!LOCAL.includes(address) && !isLetIn(address, login.addresses))
      // One that ended by itself is no error.
      await run(`KILL CONNECTION ${Number(id)}`).catch(() => undefined)
  }
}

const setOne = async (open: MariadbSession, login: RemoteLogin): Promise<void> => {
  const { user, grants, addresses } = login
  const hash = await storedHash(open, user)
  const wanted = hash === null ? [] : [...new Set(addresses.flatMap(remoteHosts))]
  const present = await hostsOf(open, user)
  for (const host of present)
    if (!wanted.includes(host)) await open.run(`DROP USER IF EXISTS ${userAt(user, host)}`)
  await endOthers(open, login)
  if (hash === null) return
  for (const host of wanted) {
    const who = userAt(user, host)
    const is = `${viaHash(hash)} REQUIRE SSL WITH ${remoteLimits(wanted.length)}`
    await open.run(
      `${present.includes(host) ? 'ALTER' : 'CREATE'} USER ${who} ${is} ACCOUNT UNLOCK`,
    )
    for (const statement of await grantStatements(open, { user, host }, grants))
      await open.run(statement)
  }
}

/** Numbers and words of a server that listens beyond this machine. */
const LISTENING = `SELECT @@global.skip_networking AS silent, @@global.port AS port,
  @@global.have_ssl AS tls, @@global.bind_address AS address`

/** Users of MariaDB who come from elsewhere: one more of each name for every address, who must use TLS. */
export const mariadbRemote = (
  session: <T>(work: (session: MariadbSession) => Promise<T>) => Promise<T>,
  { listener, problem }: Pick<MariadbServer, 'listener' | 'problem'>,
): RemoteLogins => ({
  wanted: listener !== null,
  serving: () =>
    listener === null
      ? Promise.resolve({ port: null, problem: null })
      : session(async ({ run }): Promise<RemoteServing> => {
          const [row] = await run(LISTENING)
          const not = (why: string): RemoteServing => ({ port: null, problem: problem() ?? why })
          if (Number(row?.['silent']) === 1)
            return not(
              `it does not listen: port ${listener.port} was taken when it started, or skip_networking is on`,
            )
          if (String(row?.['tls']) !== 'YES')
            return not('it has no TLS: its certificate cannot be used')
          const address = String(row?.['address'])
          if (/^(127\.|::1$|localhost$)/.test(address))
            return not(`it listens at ${address} alone, as its own configuration says`)
          return { port: Number(row?.['port']), problem: problem() }
        }),
  set: (account) =>
    session(async (open) => {
      for (const login of account) await setOne(open, login)
    }),
  renewCertificate: () =>
    session(async ({ run }) => {
      await run('FLUSH SSL')
    }),
})
