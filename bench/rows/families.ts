import type { Family } from '../support/row.ts'
import { codings } from './codings.ts'
import { hits } from './hits.ts'
import { php } from './php.ts'
import { secure } from './secure.ts'
import { staticFiles } from './static-files.ts'

/** All families, in the order of the table in `RESULTS.md`. */
export const FAMILIES: readonly Family[] = [hits, codings, secure, staticFiles, php]
