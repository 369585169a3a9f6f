import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mustRun } from '../../../process/run-command.ts'
import type { RemoteListener } from '../remote/server-certificate.ts'
import { dropInOf, leaveDropIn, MARK, textOf } from '../../../system-mariadb/leave-drop-in.ts'
import type { SystemConfiguration } from '../../../system-mariadb/system-places.ts'
import { withMariadb } from './session.ts'

/** Options of ours; what the server needs beside them its own configuration says. */
const options = (listener: RemoteListener): [name: string, value: string][] => [
  ['bind-address', '*'],
  ['ssl-cert', listener.certificate],
  ['ssl-key', listener.key],
  ['tls-version', 'TLSv1.2,TLSv1.3'],
]

const render = (listener: RemoteListener): string =>
  `${MARK}[mariadbd]\n${options(listener)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')}`

/** What the server is told, in order; of an option that is there twice the last one counts. */
const told = async (mainFile: string): Promise<Map<string, string>> => {
  const { stdout } = await mustRun('/usr/bin/my_print_defaults', [
    `--defaults-file=${mainFile}`,
    ...['mysqld', 'server', 'mariadb', 'mariadbd'],
  ])
  return new Map(
    stdout.split('\n').flatMap((line): [string, string][] => {
      const [, name = '', value = ''] = /^--([\w-]+)(?:=(.*))?$/.exec(line) ?? []
      return name === '' ? [] : [[name.replaceAll('_', '-'), value]]
    }),
  )
}

/** A user that is not ours and could come from elsewhere once the server listens. */
const stranger = (socket: string): Promise<string | null> =>
  withMariadb(socket, async ({ run }) => {
    const [row] = await run(
      `SELECT CONCAT(user, '@', host) AS name FROM mysql.global_priv
       WHERE host NOT IN ('localhost', '127.0.0.1', '::1', '')
         AND COALESCE(JSON_VALUE(priv, '$.ssl_type'), 0) = 0
         AND COALESCE(JSON_VALUE(priv, '$.account_locked'), '') NOT IN ('true', '1') LIMIT 1`,
    )
    return row === undefined ? null : String(row['name'])
  })

/**
 * Makes a server that somebody else runs listen for other machines, by a file of ours beside its own
 * configuration, which stays as it is; null takes the file away again. The server starts anew
 * where something changes. Answers why it cannot be, with everything as it was before.
 */
export const takeDropIn = async (
  { mainFile, directory, socket, restart }: SystemConfiguration,
  listener: RemoteListener | null,
): Promise<string | null> => {
  const file = dropInOf(directory)
  const present = textOf(file)
  if (listener === null) {
    await leaveDropIn({ directory, restart })
    return null
  }
  if (!existsSync(directory)) return `there is no ${directory} for a file of Berth's`
  if (existsSync(file) && present?.startsWith(MARK) !== true)
    return `${file} is there and not Berth's`
  await listener.lay()
  const wanted = render(listener)
  if (present === wanted) return null
  const before = await told(mainFile)
  const own = before.get('ssl-cert')
  if (present === null && own !== undefined && own !== listener.certificate)
    return `its own configuration names a certificate, ${own}; take ssl_cert and ssl_key away there`
  const other = await stranger(socket)
  if (other !== null)
    return `its user ${other}, which Berth did not make, could log in from elsewhere without TLS; drop that user or have it REQUIRE SSL`
  const put = (text: string | null): void => {
    if (text === null) return rmSync(file, { force: true })
    writeFileSync(`${file}.new`, text, { mode: 0o644 })
    renameSync(`${file}.new`, file)
  }
  put(wanted)
  const now = await told(mainFile).catch(() => new Map<string, string>())
  const wrong = options(listener).find(([name, value]) => now.get(name) !== value)
  if (wrong !== undefined) {
    put(present)
    return `its own configuration says otherwise of ${wrong[0]}, behind that of Berth's`
  }
  try {
    await restart()
    return null
  } catch (error) {
    put(present)
    await restart()
    return `it did not start with it: ${error instanceof Error ? error.message : String(error)}`
  }
}
