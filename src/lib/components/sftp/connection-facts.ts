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

/** What one tells a program to connect; `here`: the name that the panel is reached by. */
export const connectionFacts = (access: SftpAccess, here: string): Fact[] => {
  const t = texts.sftp
  const { username, home } = access
  const host = access.host ?? here
  const port = access.ports[0] ?? USUAL
  const start = home === null ? '' : `${home}/public_html`
  const fact = (name: string, value: string, title?: string): Fact => ({
    ...{ name, value, mono: true as const },
    ...(title === undefined ? {} : { title }),
  })
  const settings = { name: host, host, port, protocol: 'sftp', username, remotePath: start }
  return [
    fact(t.host, host),
    fact(t.port, String(port)),
    fact(t.username, username),
    ...(home === null ? [] : [fact(t.home, home)]),
    fact(t.command, `sftp ${port === USUAL ? '' : `-P ${port} `}${username}@${host}`),
    fact(t.filezilla, `sftp://${username}@${host}:${port}`),
    fact(t.vscode, JSON.stringify(settings)),
    ...access.host_keys.map(({ type, fingerprint }) =>
      fact(t.hostKey(type.replace(/^ssh-/, '')), fingerprint, t.hostKeyHelp),
    ),
  ]
}
