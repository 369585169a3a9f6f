import type { Services } from '../services/services.ts'
import type { Route } from './route.ts'
import { route } from './route.ts'
import { systemInfoSchema, systemStatsSchema } from './schemas/system.ts'

const tag = 'System'
const errors = { 503: 'The host does not answer.' } as const

/** Facts of the machine, and the dashboard's numbers. */
export const systemRoutes = ({ system }: Services): Route[] => [
  route({
    method: 'GET',
    path: '/api/system/info',
    action: 'system',
    tag,
    summary: 'Facts of the machine',
    data: systemInfoSchema,
    errors,
    handle: () => system.info(),
  }),
  route({
    method: 'GET',
    path: '/api/system/stats',
    action: 'system',
    tag,
    summary: 'Numbers of the dashboard',
    data: systemStatsSchema,
    errors,
    handle: () => system.stats(),
  }),
]
