import type { Services } from '../services/services.ts'
import type { Route } from './route.ts'

/** Control of the managed web server; the path segment is the interface's literal text. */
export const veloserveRoutes = ({ system }: Services): Route[] => [
  {
    method: 'GET',
    path: '/api/veloserve/status',
    action: 'system',
    handle: () => system.webServerStatus(),
  },
  {
    method: 'GET',
    path: '/api/veloserve/version',
    action: 'system',
    handle: () => system.webServerVersion(),
  },
  {
    method: 'POST',
    path: '/api/veloserve/regenerate',
    action: 'system',
    handle: () => system.regenerate(),
  },
  {
    method: 'POST',
    path: '/api/veloserve/reload',
    action: 'system',
    async handle() {
      await system.reload()
      return { reloaded: true }
    },
  },
  {
    method: 'POST',
    path: '/api/veloserve/restart',
    action: 'system',
    async handle() {
      await system.restart()
      return { restarted: true }
    },
  },
]
