import { join } from 'node:path'
import type { PathsConfig } from '#handlers/domain/config/config-types.ts'

type State = Pick<PathsConfig, 'state_dir'>

/** Generated sites of a machine that is a front: root's own, readable by the web server. */
export const frontSitesDirectory = ({ state_dir }: State): string => join(state_dir, 'front-sites')

/** Pairs that a front was given for them. */
export const frontCertificatesDirectory = ({ state_dir }: State): string =>
  join(state_dir, 'front-certs')
