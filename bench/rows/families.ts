import type { Family } from '../support/row.ts'
import { hits } from './hits.ts'

/** All families, in the order of the table in `RESULTS.md`. */
export const FAMILIES: readonly Family[] = [hits]
