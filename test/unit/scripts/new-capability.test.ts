import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { beforeEach, expect, it } from 'vitest'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { newCapability } from '../../../scripts/new-capability.mjs'

const ROOT = join(import.meta.dirname, '../../..')
const LISTS = [
  'handlers/services/services.ts',
  'handlers/panel/routes.ts',
  'test/contract/frame/api-contract.ts',
]

let copy: string
beforeEach(() => {
  copy = temporaryDirectory('berth-capability-')
  for (const file of LISTS) cpSync(join(ROOT, file), join(copy, file))
})
const read = (file: string): string => readFileSync(join(copy, file), 'utf8')

it('makes service, routes and contract test, and puts them into the lists', () => {
  const files = newCapability(copy, 'pigeons')
  expect(files.sort()).toEqual(
    [
      'handlers/services/pigeons/pigeons.ts',
      'handlers/panel/pigeons/routes.ts',
      'handlers/panel/pigeons/schema.ts',
      'test/contract/pigeons/api-pigeons.ts',
      ...LISTS,
    ].sort(),
  )
  for (const file of files) {
    const { diagnostics } = ts.transpileModule(read(file), { reportDiagnostics: true })
    expect(diagnostics, file).toEqual([])
  }
  expect(read('handlers/panel/routes.ts')).toContain('...pigeonsRoutes(services),')
  expect(read('handlers/services/services.ts')).toContain('pigeons: createPigeons(),')
  expect(read('test/contract/frame/api-contract.ts')).toContain('  pigeonsContract,')
})

it('overwrites nothing', () => {
  newCapability(copy, 'pigeons')
  const before = LISTS.map(read)
  expect(() => newCapability(copy, 'pigeons')).toThrow('exists already')
  expect(LISTS.map(read)).toEqual(before)
})

it.each(['', 'ab', 'Cron', 'cron-jobs', '../x', 'a'.repeat(21)])(
  'refuses the name "%s"',
  (name) => {
    expect(() => newCapability(copy, name)).toThrow('is no name')
    expect(LISTS.map(read)).toEqual(LISTS.map((file) => readFileSync(join(ROOT, file), 'utf8')))
  },
)
