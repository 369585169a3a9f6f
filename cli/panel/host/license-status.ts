import type { CommandSpec } from '../frame/command-spec.ts'
import { showRecord } from '../frame/show-record.ts'

/** `berth license status`: what the running panel goes by. */
export const licenseStatus: CommandSpec = {
  name: 'status',
  summary: 'show the licence that the running panel goes by',
  examples: ['berth license status'],
  async run({ panel, print }) {
    const data = await panel.call('GET', '/api/license')
    print(data, () => showRecord(data))
  },
}
