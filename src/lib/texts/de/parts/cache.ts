import { cache } from '../cache.ts'

/** German texts of the page cache: the part of the pages that have to do with them. */
export const cachePart = { cache }
