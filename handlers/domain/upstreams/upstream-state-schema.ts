import { z } from 'zod'

/** How an address of a backend fares, as the web server tells it; see `UpstreamState`. */
export const upstreamStateSchema = z.object({
  domain: z.string().max(253),
  upstream: z.string().max(2048),
  weight: z.number(),
  workers: z.number(),
  up: z.number(),
  active: z.number(),
  requests: z.number(),
  failures: z.number(),
})
