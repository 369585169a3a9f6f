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

/** Length of the longest of the prefixes that a path lies below; `/api` means `/api` and what lies below it. */
const depthOf = (path: string, prefixes: readonly string[]): number => {
  let depth = -1
  for (const prefix of prefixes)
    if (path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`))
      depth = Math.max(depth, prefix.length)
  return depth
}

/** How far a rule's paths name a path (in its one spelling); negative: it is not passed on. */
const reach = ({ paths, except = [] }: ProxyRule, path: string): number =>
  depthOf(path, except) >= 0 ? -1 : paths === null ? 0 : depthOf(path, paths)

/** Whether a path (in its one spelling) is one of those that are passed on. */
export const isProxiedPath = (rule: ProxyRule, path: string): boolean => reach(rule, path) >= 0

/** The application that answers a path: the one with the longest prefix; null: files and PHP. */
export const applicationAt = (
  { proxy, backends }: VirtualHostConfig,
  path: string,
): ProxyRule | null => {
  let found = proxy !== null && isProxiedPath(proxy, path) ? proxy : null
  if (backends === undefined) return found
  let most = found === null ? -1 : reach(found, path)
  for (const backend of Object.values(backends)) {
    const far = reach(backend, path)
    if (far <= most) continue
    most = far
    found = backend
  }
  return found
}

/** Whether an application answers a path. Of all rules only those of the host's own configuration count there. */
export const passesOn = (vhost: VirtualHostConfig, path: string): boolean =>
  applicationAt(vhost, path) !== null
