import { existsSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createSshdConfig,
  SSHD,
  SSHD_DIRECTORY,
  valuesOf,
} from '#adapters/node/sshd/sshd-settings.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

test('a configuration is judged where a socket starts sshd, which has made no directory yet', async () => {
  const file = join(temporaryDirectory('sshd-'), 'sshd_config')
  writeFileSync(file, 'Port 2299\nPermitRootLogin no\n')
  // Empty, or another's: then it stays.
  if (existsSync(SSHD_DIRECTORY)) rmdirSync(SSHD_DIRECTORY)
  const config = createSshdConfig(SSHD, file)
  expect(await config.fault()).toBeNull()
  expect(valuesOf(await config.settings('root'), 'port')).toEqual(['2299'])
  expect(statSync(SSHD_DIRECTORY)).toMatchObject({ uid: 0, gid: 0 })
  expect(statSync(SSHD_DIRECTORY).mode & 0o777).toBe(0o755)

  writeFileSync(file, 'Port none\n')
  expect(await config.fault()).toMatch(/port/i)
})
