import type { Services } from '../services/services.ts'
import type { Route } from './route.ts'

/** Facts of the machine, and the dashboard's numbers. */
export const systemRoutes = ({ system }: Services): Route[] => [
  { method: 'GET', path: '/api/system/info', action: 'system', handle: () => system.info() },
  { method: 'GET', path: '/api/system/stats', action: 'system', handle: () => system.stats() },
]
