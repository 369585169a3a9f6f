import type { Family } from '../support/findings/row.ts'
import { codings } from './codings.ts'
import { liveCodings } from './live-codings.ts'
import { hits } from './hits.ts'
import { notFound } from './not-found.ts'
import { panelRows } from './panel.ts'
import { php } from './php.ts'
import { purge } from './purge.ts'
import { scale } from './scale.ts'
import { secure } from './secure.ts'
import { staticFiles } from './static-files.ts'
import { virtualHosts } from './virtual-hosts.ts'
import { wordpress } from './wordpress.ts'

/** All families, in the order of the table in `RESULTS.md`. */
export const FAMILIES: readonly Family[] = [
  hits,
  codings,
  liveCodings,
  secure,
  staticFiles,
  notFound,
  php,
  wordpress,
  scale,
  purge,
  virtualHosts,
  panelRows,
]
