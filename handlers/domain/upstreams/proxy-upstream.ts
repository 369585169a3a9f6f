import ipaddr from 'ipaddr.js'

/** Where requests are passed on to. */
export type ProxyUpstream =
  | { kind: 'tcp'; secure: boolean; host: string; port: number; loopback: boolean }
  | { kind: 'unix'; path: string }

const HELP =
  'Write "http://127.0.0.1:3000", "https://app.internal:8443" or "unix:/run/app/app.sock".'

const isLoopback = (host: string): boolean => {
  if (host === 'localhost') return true
  return ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback'
}

/**
 * Reads `upstream` of `[virtualhost.proxy]`: an http or https URL of a host and
 * port and nothing else, or `unix:` and an absolute path. `host` is a name or an
 * address without brackets, in its one spelling. Answers what is wrong as text.
 */
export const parseProxyUpstream = (text: string): ProxyUpstream | string => {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length)
    const plain = path.split('/').slice(1)
    if (!path.startsWith('/') || plain.some((part) => ['', '.', '..'].includes(part))) {
      return `is not the absolute path of a socket. ${HELP}`
    }
    if (new TextEncoder().encode(path).length > 107) {
      return 'is too long: the path of a socket has 107 bytes at most. Choose a shorter one.'
    }
    return { kind: 'unix', path }
  }
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    return `is not an address to pass requests on to. ${HELP}`
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password. Remove them.'
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    return 'must end after the port: paths are passed on as they are asked for. Remove what follows it.'
  }
  const secure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  if (port === 0) return `names no port. ${HELP}`
  return { kind: 'tcp', secure, host, port, loopback: isLoopback(host) }
}
