import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { instance, shareInstance } from '#test/support/setups/shared-instance.ts'

/** A user id that nobody has; as root the instance is started as this user. */
const NOBODYS_UID = 47_211
const asRoot = process.getuid?.() === 0
const uid = asRoot ? NOBODYS_UID : process.getuid?.()

shareInstance({ administrator: false, ...(asRoot ? { asUid: NOBODYS_UID } : {}) })

test('every process runs as the one user and gained nothing', async () => {
  const { workers, ...processes } = await instance.pids()
  for (const pid of [...Object.values(processes), ...workers]) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    expect(/^Uid:\s+(.*)$/m.exec(status)?.[1]?.split('\t')).toEqual(Array(4).fill(String(uid)))
    expect(/^CapEff:\s+(.*)$/m.exec(status)?.[1]).toMatch(/^0+$/)
  }
})

test('panel, web server and management API answer', async () => {
  expect((await fetch(`${instance.panelUrl}/api/auth/me`)).status).toBe(401)
  expect((await instance.site('unknown.test', '/')).status).toBe(404)
  expect((await fetch(`${instance.managementUrl}/api/v1/status`)).status).toBe(200)
})

test('secrets are readable by that user alone', () => {
  const { secrets_dir: secrets, run_dir: run } = instance.config.paths
  const key = statSync(join(secrets, 'panel-jwt.key'))
  expect([key.uid, key.mode & 0o777]).toEqual([uid, 0o600])
  expect(statSync(join(run, 'management.token')).mode & 0o007).toBe(0)
})

test('a killed process comes back', async () => {
  for (const name of ['agent', 'panel', 'web'] as const) {
    await instance.kill(name)
    await instance.untilReady()
  }
})
