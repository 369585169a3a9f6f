import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { routesOf } from '../frame/routes-of.ts'
import { named } from '../frame/common-schemas.ts'

const limit = () => z.int().min(-1).describe('-1 is unlimited.')

const licenseSchema = named('License', {
  tier: z.enum(['community', 'pro', 'business']),
  valid: z.boolean(),
  accounts_limit: limit(),
  domains_limit: limit(),
  holder: z.string().nullable(),
  expires_at: z.string().nullable().describe('Last day, YYYY-MM-DD; null: for ever.'),
  problem: z.string().nullable().describe('Why a licence file is not honoured.'),
})

const on = routesOf('System')

/** The licence in force. */
export const licenseRoutes = ({ license }: Services) => [
  on.system.get('/api/license', {
    summary: 'The licence in force',
    description:
      'Without a licence file Community. With one that is not honoured Community too, and problem says why; nothing existing is taken down.',
    data: licenseSchema,
    handle: async () => licenseSchema.parse(await license.current()),
  }),
]
