import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '#test/support/free-ports.ts'
import { startPrivateApache } from '#test/support/servers/private-apache.ts'

const MODULES = ['mpm_event', 'authz_core', 'dav', 'dav_fs', 'dav_lock', 'mime']

/** mod_dav of Debian's Apache over an empty directory. */
export interface DavServer {
  port: number
  /** Where its files lie. */
  root: string
  /** Method, path and status of what it answered. */
  asked(): string[]
  stop(): Promise<void>
}

/** Starts it on a private port, its files below `parent`. */
export const startDavServer = async (parent: string): Promise<DavServer> => {
  const directory = join(parent, 'dav')
  const root = join(directory, 'files')
  mkdirSync(root, { recursive: true })
  const passwd = readFileSync('/etc/passwd', 'utf8')
  const [, uid = 0, gid = 0] = (/^www-data:x:(\d+):(\d+):/m.exec(passwd) ?? []).map(Number)
  for (const path of [parent, directory, root]) chmodSync(path, 0o755)
  for (const path of [directory, root]) {
    chownSync(path, uid, gid)
  }
  const [port = 0] = await freePorts(1)
  const { stop } = await startPrivateApache({
    ...{ directory, port, modules: MODULES },
    config: `CustomLog ${directory}/access.log "%m %U %>s"
DavLockDB ${directory}/locks
DocumentRoot ${root}
<Directory ${root}>
  Dav On
  Require all granted
</Directory>
`,
  })
  const asked = (): string[] =>
    readFileSync(join(directory, 'access.log'), 'utf8').trim().split('\n')
  return { port, root, asked, stop }
}
