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
  on.system.post('/api/trusted-panels/rotate', {
    summary: 'Changes the keys of the panel that answers',
    description:
      'It does so by itself every 90 days. Machines that answer call it by the new keys at once; the former ones count for a day more, or not at all with at_once. One that does not answer takes the change when it is back.',
    body: z.object({
      at_once: z.boolean().default(false).describe('For keys that somebody else may have.'),
    }),
    strict: true,
    data: z.object({
      id: z.string().describe('Under which the machines know it now.'),
      former: z.array(z.string()).describe('Under which they knew it before.'),
      told: hostNames.describe('Machines that have heard of it.'),
      waiting: hostNames.describe(
        'Machines that do not answer, and hear of it when they are back.',
      ),
    }),
    errors: {
      409: 'No machine obeys it, sixteen panels are trusted already, or too many former keys wait for machines that are away.',
      503: 'This panel reaches no other machines.',
    },
    async handle({ body: { at_once: atOnce } }) {
      const { id, former, told, waiting } = await hosts.rotateKeys({ atOnce })
      return { id, former, told, waiting }
    },
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
