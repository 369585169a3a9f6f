import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { Berth } from '../support/run-berth.ts'

let instance: Instance
let berth: Berth
beforeAll(async () => {
  instance = await startInstance({
    settings: { server: 'workers = 1', databases: 'mariadb = "off"' },
  })
  berth = new Berth('--config', instance.config.file)
})
afterAll(async () => {
  berth?.remove()
  await instance?.stop()
})

test('berth panel list says where the records are of a panel that is alone', async () => {
  const said = await berth.ok('panel list')
  expect(said).toMatch(/Records: sqlite 3\.[0-9.]+, .*panel\.db\n/)
  expect(said).toContain('No other panel shares them.')
})

test('berth panel invite says that records in a file cannot be shared', async () => {
  const told = await berth.run('panel invite', ['192.0.2.2:7070'])
  expect([told.code, told.stderr]).toEqual([1, expect.stringContaining('berth panel move-store')])
})

test('berth panel join takes no word for a token, and changes nothing', async () => {
  const { file } = instance.config
  const before = readFileSync(file, 'utf8')
  const told = await berth.run('panel join', ['nonsense'])
  expect([told.code, told.stderr]).toEqual([1, expect.stringContaining('not a token')])
  expect(readFileSync(file, 'utf8')).toBe(before)
})
