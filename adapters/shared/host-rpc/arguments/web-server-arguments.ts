import { z } from 'zod'
import { siteTestFields } from '#handlers/domain/site-test/order-schema.ts'
import { domain, nothing, text, username, virtualHost } from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about the web server, by port and method. */
export const WEB_SERVER_ARGUMENTS: Pick<ArgumentTable, 'webServer'> = {
  webServer: {
    apply: z.object({
      put: z.array(virtualHost).max(10_000),
      remove: z.array(domain).max(10_000),
    }),
    edition: nothing,
    regenerate: z.object({
      hosts: z.array(virtualHost).max(100_000),
      since: text(64).exactOptional(),
      leave: z.array(username).max(100_000).exactOptional(),
    }),
    reload: nothing,
    restart: nothing,
    status: nothing,
    counters: nothing,
    takeTraffic: z.object({ acknowledged: text(64).nullable() }),
    takeFigures: z.object({ acknowledged: text(64).nullable() }),
    upstreams: z.object({ domain }),
    explain: z.object({ ...siteTestFields, domain }),
    purge: z.object({ domains: z.array(domain).max(10_000) }),
  },
}
