import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { bindListener } from '../process/bind-listener.ts'
import type { InheritedListener } from './listeners.ts'

const isListener = (value: unknown): value is InheritedListener =>
  typeof value === 'object' && value !== null && 'fd' in value && typeof value.fd === 'number'

/**
 * Listening descriptors: those that `BERTH_LISTEN` names, or, started by hand,
 * bound here from the configuration. This process never accepts on them.
 */
export const inheritedListeners = (
  config: ServerConfig,
  environment: string | undefined,
): InheritedListener[] => {
  if (environment !== undefined) {
    const list: unknown = JSON.parse(environment)
    return Array.isArray(list) ? list.filter(isListener) : []
  }
  const bind =
    (kind: 'http' | 'https' | 'front') =>
    (address: string): InheritedListener => {
      const bound = bindListener(address)
      return { fd: bound.fd, address: bound.address, kind }
    }
  const { listen, listen_ssl, front_listen } = config.server
  return [
    ...listen.map(bind('http')),
    ...listen_ssl.map(bind('https')),
    ...front_listen.map(bind('front')),
  ]
}
