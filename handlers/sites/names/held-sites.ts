import type { VirtualHostConfig } from '../../domain/config/config-types.ts'

/** What of sites is not answered because it held up everybody. */
export interface HeldSites {
  /** Whether a normalised path of the virtual host, or with `ruled` all that its rules have a say in, is held. */
  holds(vhost: VirtualHostConfig, path: string, ruled: boolean): boolean
}
