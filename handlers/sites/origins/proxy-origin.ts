import type { ProxyRule, VirtualHostConfig } from '../../domain/config/config-types.ts'
import type { SiteContext } from '../site-context.ts'

/** One request to pass on. */
export interface ProxyCall {
  vhost: VirtualHostConfig
  rule: ProxyRule
  context: SiteContext
  /** Requested host name, one of the virtual host's. */
  host: string
  /** Path and query in their one spelling: what the application sees is what the page cache's key was made from. */
  requestUri: string
}

/** Passes requests on to applications. */
export interface ProxyOrigin {
  /**
   * Resolves with the response once its head is there. Its body fails when the
   * answer is cut off. Rejects with `OriginError`. Where `context.upgrade` is set
   * and the application changes the protocol, the connection goes there and the
   * response is empty and means nothing but for its words to the page cache.
   */
  run(request: Request, call: ProxyCall): Promise<Response>
}

/** `/api` means `/api` and what lies below it. */
const lies = (path: string, prefixes: readonly string[]): boolean =>
  prefixes.some(
    (prefix) => path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`),
  )

/** Whether a path (in its one spelling) is one of those that are passed on. */
export const isProxiedPath = ({ paths, except = [] }: ProxyRule, path: string): boolean =>
  (paths === null || lies(path, paths)) && !lies(path, except)

/** Whether an application answers a path. Of all rules only those of the host's own configuration count there. */
export const passesOn = ({ proxy }: VirtualHostConfig, path: string): boolean =>
  proxy !== null && isProxiedPath(proxy, path)
