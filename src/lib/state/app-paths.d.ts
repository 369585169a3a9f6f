import type { ResolvedPathname } from '$app/types'
import type { AppPath } from './app-path.ts'

declare module '$app/paths' {
  /**
   * Kit's own signature wants to know which page it is; this one takes any of them,
   * so that lists, buttons and the navigation can be handed their address.
   */
  export function resolve(path: AppPath): ResolvedPathname
}
