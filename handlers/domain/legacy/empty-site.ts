import type { LegacySite } from './types.ts'

/** A site that says nothing yet. */
export const emptySite = (): LegacySite => ({
  root: null,
  index: null,
  htaccess: false,
  errorPages: {},
  headers: {},
  rewrites: [],
  rules: [],
  phpSocket: null,
  proxy: null,
  backends: {},
})
