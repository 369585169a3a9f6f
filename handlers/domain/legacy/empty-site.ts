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
  folders: {},
  rateLimits: [],
  phpSocket: null,
  proxy: null,
  texts: {},
  backends: {},
})
