/** Where a repository is fetched from. */
export interface GitSource {
  kind: 'https' | 'ssh'
  /** Name or address, without brackets. */
  host: string
  port: number
  /** In the one spelling that is given to git. */
  url: string
}

const HELP =
  'Write "https://example.com/team/shop.git" or "ssh://git@example.com/team/shop.git"; "git@example.com:team/shop.git" is fine too.'
const MOST_URL_CHARACTERS = 1000
/** `git@example.com:team/shop.git`, as git's own clients write it. */
const SCP = /^([a-z_][a-z0-9_.-]{0,63})@([a-z0-9][a-z0-9.-]{0,252}):(?!\/\/)([^\s:][^\s]*)$/i
const PATH = /^\/[\w.~@%+,=/-]+$/

/**
 * Reads the address of a repository: `https`, or `ssh` with a user, and nothing that git would
 * take for an option, a helper of its own (`ext::`) or a place on this machine. Where it leads is
 * judged when it is fetched. Answers what is wrong as text.
 */
export const parseGitUrl = (text: string): GitSource | string => {
  if (text.length > MOST_URL_CHARACTERS) return 'is too long.'
  const [, user, scpHost, scpPath] = SCP.exec(text) ?? []
  const spelled =
    user === undefined ? text : `ssh://${user}@${scpHost}/${(scpPath ?? '').replace(/^\/+/, '')}`
  const url = URL.canParse(spelled) ? new URL(spelled) : null
  if (url === null || !['https:', 'ssh:'].includes(url.protocol) || url.hostname === '')
    return `is not the address of a repository. ${HELP}`
  if (url.search !== '' || url.hash !== '' || !PATH.test(url.pathname))
    return `has a path that no repository has. ${HELP}`
  if (url.password !== '') return 'must not hold a password. Use a deploy key.'
  const kind = url.protocol === 'https:' ? 'https' : 'ssh'
  if (kind === 'https' && url.username !== '')
    return 'must not hold a user name. Use an ssh:// address with the deploy key.'
  if (kind === 'ssh' && !/^[a-z_][a-z0-9_.-]{0,63}$/i.test(url.username))
    return `names no user to log in as. ${HELP}`
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (host.startsWith('-')) return `is not the address of a repository. ${HELP}`
  const port = url.port === '' ? (kind === 'https' ? 443 : 22) : Number(url.port)
  return { kind, host, port, url: url.href }
}

/** Why a text is no name of a branch or tag; null: it is one (git-check-ref-format(1), and no option). */
export const gitRefFault = (text: string): string | null =>
  text.length <= 200 &&
  /^[A-Za-z0-9_][\w./+-]*$/.test(text) &&
  !/\.\.|\/\/|\/\.|\.lock(?:\/|$)|[./]$/.test(text)
    ? null
    : 'is not the name of a branch or tag.'

/** Names of releases: made by us, in the order of their making. */
export const RELEASE_NAME = /^\d{14}-[0-9a-f]{6}$/
