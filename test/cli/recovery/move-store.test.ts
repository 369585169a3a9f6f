import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../support/run-berth.ts'

let directory: string
let file: string
let berth: Berth
const TEXT = '[paths]\nstate_dir = "state"\nrun_dir = "run"\nlog_dir = "log"\n'

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'bms-'))
  chmodSync(directory, 0o755)
  file = join(directory, 'berth.toml')
  writeFileSync(file, TEXT)
  berth = new Berth('--config', file)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test.each([
  [[], 2, 'Say where to'],
  [['--to', 'sqlite'], 1, 'in SQLite already'],
  [['--to', 'postgres://berth:geheim@/berth?host=/run'], 1, 'store_password_file'],
  [['--to', 'postgres://berth@db.example.com/berth'], 1, 'verify-full'],
  [['--to', 'postgres://berth@/berth?host=/run', '--ca-file', 'ca.pem'], 1, 'of no use'],
  [['--to', 'postgres://berth@localhost/berth', '--password-file', 'p'], 1, 'There is no'],
] as const)('berth panel move-store %j is refused and changes nothing', async (args, code, why) => {
  const told = await berth.run('panel move-store', args)
  expect([told.code, told.stderr]).toEqual([code, expect.stringContaining(why)])
  expect(told.stdout + told.stderr).not.toContain('geheim')
  expect(readFileSync(file, 'utf8')).toBe(TEXT)
  expect(existsSync(join(directory, 'state'))).toBe(false)
})
