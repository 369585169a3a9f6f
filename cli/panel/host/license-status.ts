import type { CommandSpec } from '../frame/command-types.ts'
import { api } from '../frame/panel-client.ts'

/** `berth license status`: what the running panel goes by. */
export const licenseStatus: CommandSpec = {
  summary: 'show the licence that the running panel goes by',
  examples: ['berth license status'],
  order: () => ({ to: api`GET /api/license` }),
}
