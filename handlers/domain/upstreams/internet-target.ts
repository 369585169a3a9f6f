import ipaddr from 'ipaddr.js'
import { isInternetAddress } from '../text/internet-address.ts'
import { parseProxyUpstream } from './proxy-upstream.ts'

/** The ports below are the system's: what listens there is nobody's application. */
export const FIRST_FREE_PORT = 1024

/** Ports of the web below those. */
const WEB_PORTS: readonly number[] = [80, 443]

/**
 * What an upstream of the internet may not be; null when it may be one. Names are judged when they are
 * looked up, for each connection.
 */
export const internetTargetProblem = (upstream: string): string | null => {
  const target = parseProxyUpstream(upstream)
  if (typeof target === 'string') return target
  if (target.kind === 'unix') return 'must be an http or https address.'
  const { host, port } = target
  const isLiteral = ipaddr.isValid(host)
  if (target.loopback || (isLiteral ? !isInternetAddress(host) : !/^[^.].*\../.test(host)))
    return `leads to "${host}", which is no address of the internet.`
  if (port < FIRST_FREE_PORT && !WEB_PORTS.includes(port))
    return `leads to port ${port}, where no web server is. Use 80, 443 or one from ${FIRST_FREE_PORT} up.`
  return null
}
