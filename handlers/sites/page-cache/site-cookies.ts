import type { LearnedCookies } from '../../../edge-cache/index.ts'
import type { VirtualHostConfig } from '../../domain/config/config-types.ts'

/** Which cookies sites set, and so tell their visitors apart by. */
export interface SiteCookies {
  /** What is known at a virtual host; the same object until something changes. */
  at(vhost: VirtualHostConfig): LearnedCookies
  /**
   * Learns from a response of the site's own. Null where it says nothing new; else the
   * answer must not leave before the promise, which never rejects, has settled: then
   * every process that answers visitors knows.
   */
  learn(vhost: VirtualHostConfig, answer: Response): Promise<void> | null
}
