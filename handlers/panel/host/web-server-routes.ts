import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { routesOf } from '../frame/routes-of.ts'
import { hostErrors, hostQuery } from '../hosts/host-query.ts'
import { count } from '../frame/common-schemas.ts'
import { webServerStatusSchema } from './schema.ts'

const on = routesOf('Web server')
const errors = {
  400: hostErrors[400],
  503: 'The web server does not run, or the machine does not answer.',
} as const

/** Control of the managed web server; the path segment is the interface's literal text. */
export const veloserveRoutes = ({ system }: Services) => [
  on.system.get('/api/veloserve/status', {
    summary: 'State of the web server',
    query: z.object(hostQuery),
    data: webServerStatusSchema,
    errors,
    handle: ({ query }) => system.webServerStatus(query.host),
  }),
  on.system.get('/api/veloserve/version', {
    summary: 'Version of the web server',
    query: z.object(hostQuery),
    data: z.object({ version: z.string() }),
    errors,
    handle: ({ query }) => system.webServerVersion(query.host),
  }),
  on.system.post('/api/veloserve/regenerate', {
    summary: 'Writes all virtual hosts anew from the records, then reloads',
    data: z.object({ written: count(), removed: count() }),
    errors,
    job: {
      kind: 'web-server.regenerate',
      about: () => ({ subject: 'all virtual hosts', accountId: null }),
    },
    handle: ({ report }) => system.regenerate(report),
  }),
  on.system.post('/api/veloserve/reload', {
    summary: 'Reloads the configuration',
    description:
      'Answers when all workers serve it; a configuration that is refused changes nothing. restart_needed names what changed in it but stays as it was until Berth is restarted.',
    query: z.object(hostQuery),
    data: z.object({
      reloaded: z.literal(true),
      restart_needed: z.array(z.string()).describe('Dotted keys of berth.toml.'),
    }),
    errors: { ...errors, 409: 'The configuration is refused.' },
    async handle({ query }) {
      return { reloaded: true as const, ...(await system.reload(query.host)) }
    },
  }),
  on.system.post('/api/veloserve/restart', {
    summary: 'Replaces all workers',
    description: 'Answers when the new ones serve; the old ones finish what they have begun.',
    query: z.object(hostQuery),
    data: z.object({ restarted: z.literal(true) }),
    errors,
    async handle({ query }) {
      await system.restart(query.host)
      return { restarted: true as const }
    },
  }),
]
