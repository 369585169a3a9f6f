import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { hostErrors, hostQuery } from '../hosts/host-query.ts'
import { numberText, oneOf } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import {
  hostHistorySchema,
  recoverySchema,
  recoveryView,
  systemInfoSchema,
  systemStatsSchema,
} from './schema.ts'

const on = routesOf('System')
const errors = hostErrors

/** Facts of the machine, and the dashboard's numbers. */
export const systemRoutes = ({ system, metrics }: Services) => [
  on.system.get('/api/system/info', {
    summary: 'Facts of the machine',
    query: z.object(hostQuery),
    data: systemInfoSchema,
    errors,
    handle: ({ query }) => system.info(query.host),
  }),
  on.system.get('/api/system/stats', {
    summary: 'Numbers of the dashboard',
    description: 'Accounts, domains and databases are those of all machines.',
    query: z.object(hostQuery),
    data: systemStatsSchema,
    errors,
    handle: ({ query }) => system.stats(query.host),
  }),
  on.system.get('/api/system/recovery', {
    summary: 'Whether this panel could be brought back',
    description:
      'The state of recovery kit and export, and what an import holds back. No secret: exports, kits and imports are commands of root on the machine itself.',
    data: recoverySchema.nullable().describe('Null: the panel keeps no such state.'),
    handle: async () => {
      const facts = await system.recovery()
      return facts && recoveryView(facts)
    },
  }),
  on.system.get('/api/system/history', {
    summary: 'Course of processor, memory, load, requests and cache',
    description:
      'Times are evenly spaced; what was not measured (the panel, the host or the web server did not run, counters began anew) is null. 15m and 1h have a value every 10 seconds, 24h averages of a minute, 7d of ten minutes.',
    query: z.object({
      range: oneOf('range', ['15m', '1h', '24h', '7d']).default('1h').describe('Default: 1h.'),
      since: numberText('since')
        .optional()
        .describe('Unix seconds: only times after it, to go on where an earlier answer ended.'),
      ...hostQuery,
    }),
    data: hostHistorySchema,
    errors: { 400: hostErrors[400] },
    handle: ({ query }) => metrics.read(query.range, query.since, query.host),
  }),
]
