import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import type { Route } from '../frame/route.ts'
import { route } from '../frame/route.ts'

const limit = () => z.int().min(-1).describe('-1 is unlimited.')

const licenseSchema = z
  .object({
    tier: z.enum(['community', 'pro', 'business']),
    valid: z.boolean(),
    accounts_limit: limit(),
    domains_limit: limit(),
    holder: z.string().nullable(),
    expires_at: z.string().nullable().describe('Last day, YYYY-MM-DD; null: for ever.'),
    problem: z.string().nullable().describe('Why a licence file is not honoured.'),
  })
  .meta({ id: 'License' })

/** The licence in force. */
export const licenseRoutes = ({ license }: Services): Route[] => [
  route({
    method: 'GET',
    path: '/api/license',
    action: 'system',
    tag: 'System',
    summary: 'The licence in force',
    description:
      'Without a licence file Community. With one that is not honoured Community too, and problem says why; nothing existing is taken down.',
    data: licenseSchema,
    async handle() {
      const current = await license.current()
      return {
        tier: current.tier,
        valid: current.valid,
        accounts_limit: current.accounts_limit,
        domains_limit: current.domains_limit,
        holder: current.holder,
        expires_at: current.expires_at,
        problem: current.problem,
      }
    },
  }),
]
