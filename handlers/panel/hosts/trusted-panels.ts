import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { named, timestamp } from '../frame/common-schemas.ts'
import type { Route } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'

export const trustedPanelSchema = named('TrustedPanel', {
  id: z.string().describe('What "berth agent show" calls it on the machines.'),
  own: z.boolean().describe('Whether it is the panel that answers.'),
  created_at: timestamp(),
})

const params = z.object({ id: z.string().describe('Id of the panel.') })
const hostNames = z.array(z.string())
const on = routesOf('Hosts')

/** Panels that the other machines obey. */
export const trustedPanelRoutes = ({ hosts }: Services): Route[] => [
  on.system.get('/api/trusted-panels', {
    summary: 'Lists the panels that the other machines obey',
    description: 'Empty as long as no other machine was invited.',
    data: z.array(trustedPanelSchema),
    handle: async () =>
      (await hosts.panels()).map(({ id, own, created_at }) => ({ id, own, created_at })),
  }),
  on.system.delete('/api/trusted-panels/:id', {
    summary: 'Lets the other machines obey a panel no more',
    description:
      'They are told at once; one that does not answer is told before anything else is asked of it when it is back.',
    params,
    data: z.object({
      id: z.string(),
      deleted: z.literal(true),
      told: hostNames.describe('Machines that have heard of it.'),
      waiting: hostNames.describe(
        'Machines that do not answer, and hear of it when they are back.',
      ),
    }),
    errors: {
      404: 'No such panel.',
      409: 'It is the panel that answers, or the last one.',
    },
    async handle({ params: { id } }) {
      const { told, waiting } = await hosts.removePanel(id)
      return { id, deleted: true as const, told, waiting }
    },
  }),
]
