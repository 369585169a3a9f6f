import type { PageMarks } from './marks/page-marks.ts'

/**
 * Bindings of the Worker before sites, as `wrangler.edge.jsonc` declares them. Beside these there
 * are the sites, a variable `SITE_…` each, and whatever bindings their `via` names.
 */
export interface EdgeEnv {
  /** Numbers purges for all isolates. */
  MARKS: DurableObjectNamespace<PageMarks>
  /** Files of sites that have `assets`. */
  ASSETS?: Fetcher
  /** Options of section `[cache]`, as JSON. */
  CACHE?: unknown
  /** Name at which the management API answers, and nothing else. Without it there is none. */
  MANAGEMENT_HOST?: string
  /** Secret, at least 16 characters: `wrangler secret put MANAGEMENT_TOKEN`. */
  MANAGEMENT_TOKEN?: string
}
