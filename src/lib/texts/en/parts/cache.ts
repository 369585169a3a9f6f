import { cache } from '../cache.ts'

/** Texts of the page cache: the part of the pages that have to do with them. */
export const cachePart = { cache }
