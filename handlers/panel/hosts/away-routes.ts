import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { reachOf } from '../access/policy.ts'
import { named, timestamp } from '../frame/common-schemas.ts'
import type { Route } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'

export const awayHostSchema = named('AwayHost', {
  id: z.int().min(0).describe('See host_id of an account.'),
  name: z.string(),
  since: timestamp().nullable().describe('When it last answered.'),
})

const on = routesOf('Hosts')

/** Machines that do not answer, for whoever has something on them. */
export const awayHostRoutes = ({ hosts }: Services): Route[] => [
  on.self.get('/api/away-hosts', {
    summary: 'Lists machines that do not answer at present',
    description:
      'Of those that the caller has accounts on; for administrators of all. What other routes show of such accounts is what the panel knew last, their sites may well go on, and what only the machine knows is 503 until it is back.',
    data: z.array(awayHostSchema),
    handle: ({ caller }) => hosts.away(reachOf(caller)),
  }),
]
