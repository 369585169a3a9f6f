import { join } from 'node:path'
import type { PathsConfig } from '#handlers/domain/config/config-types.ts'

/** What link and agent have in common: root's own, readable by the user of the link. */
export const linkDirectory = ({ state_dir }: Pick<PathsConfig, 'state_dir'>): string =>
  join(state_dir, 'link')
