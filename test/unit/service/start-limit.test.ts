import { expect, it } from 'vitest'
import { startLimitSecs } from '#adapters/node/service/start-limit.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'

it.each([
  [10, 300],
  [60, 300],
  [120, 600],
  [3600, 18_000],
])('with worker_start_secs = %i the whole may take %i seconds', (secs, limit) => {
  const { config } = parseServerConfig({
    file: '/etc/berth/berth.toml',
    text: `[server]\nworker_start_secs = ${secs}\n`,
    root: true,
  })
  expect(startLimitSecs(config)).toBe(limit)
})
