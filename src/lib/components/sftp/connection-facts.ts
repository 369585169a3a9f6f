import type { SftpAccess } from '$lib/api/types'
import { texts } from '$lib/texts'

interface Fact {
  name: string
  value: string
  mono: true
  title?: string
}

/** sshd's usual port, which programs know by themselves. */
const USUAL = 22

/** As one word for the shell that a line is pasted into. */
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`

/**
 * What one tells a program to connect; `here`: the name that the panel is reached by;
 * `place`: where to begin, default: the document root of the account's first site.
 */
export const connectionFacts = (access: SftpAccess, here: string, place?: string): Fact[] => {
  const t = texts.sftp
  const { username, home } = access
  const host = access.host ?? here
  const port = access.ports[0] ?? USUAL
  const start = place ?? (home === null ? '' : `${home}/public_html`)
  const fact = (name: string, value: string, title?: string): Fact => ({
    ...{ name, value, mono: true as const },
    ...(title === undefined ? {} : { title }),
  })
  const to = `${username}@${host}`
  const below = place === undefined ? '' : `:${quoted(place)}`
  const shellFacts = [
    fact(t.ssh, `ssh ${port === USUAL ? '' : `-p ${port} `}${to}`),
    fact(
      t.rsync,
      `rsync -av ${port === USUAL ? '' : `-e 'ssh -p ${port}' `}./ ${to}:${quoted(`${start}/`)}`,
    ),
  ]
  const settings = { name: host, host, port, protocol: 'sftp', username, remotePath: start }
  return [
    fact(t.host, host),
    fact(t.port, String(port)),
    fact(t.username, username),
    ...(home === null ? [] : [fact(t.home, home)]),
    fact(t.command, `sftp ${port === USUAL ? '' : `-P ${port} `}${to}${below}`),
    ...(access.shell ? shellFacts : []),
    fact(t.filezilla, `sftp://${username}@${host}:${port}${place ?? ''}`),
    fact(t.vscode, JSON.stringify(settings)),
    ...access.host_keys.map(({ type, fingerprint }) =>
      fact(t.hostKey(type.replace(/^ssh-/, '')), fingerprint, t.hostKeyHelp),
    ),
  ]
}
