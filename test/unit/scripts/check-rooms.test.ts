import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkRooms, floorsOf, roomsOf } from '../../../scripts/checks/check-rooms.mjs'
import { projectOf } from './project-of.ts'

const FOLDERS = ['adapters/node', 'bench', 'cli', 'edge-cache', 'handlers/domain']
const OTHERS = ['handlers/panel', 'handlers/services', 'scripts', 'src', 'test']

/** A project with these files beside the folders that every one has. */
const project = (files: Record<string, string>): string => {
  const root = projectOf(files)
  for (const folder of [...FOLDERS, ...OTHERS]) mkdirSync(join(root, folder), { recursive: true })
  return root
}

const S = 'handlers/services'

it('puts rooms that import others on the floor above them', () => {
  const root = project({
    [`${S}/services.ts`]: "import { a } from './a/a.ts'",
    [`${S}/a/a.ts`]: "import type { B } from '../b/b.ts'\nimport { own } from './own.ts'",
    [`${S}/a/own.ts`]: 'export const own = 1',
    [`${S}/b/b.ts`]: "export { c } from '#handlers/services/c/c.ts'",
    [`${S}/c/c.ts`]: "import { join } from 'node:path'",
  })
  const { floors, circle } = floorsOf(roomsOf(root, S))
  expect(Object.fromEntries(floors)).toEqual({ a: 3, b: 2, c: 1 })
  expect(circle).toBeNull()
  expect(checkRooms(root)).toEqual([])
})

it('names rooms that import each other, by types or at run time too', () => {
  const root = project({
    [`${S}/a/a.ts`]: "import type { B } from '../b/b.ts'",
    [`${S}/b/b.ts`]: "const a = await import('../a/a.ts')",
  })
  expect(checkRooms(root)).toEqual([expect.stringMatching(/services: rooms import each other: a/)])
})

it('names folders with too many files side by side', () => {
  const files = Array.from({ length: 21 }, (_, at) => [`test/${at}.test.ts`, ''] as const)
  expect(checkRooms(project(Object.fromEntries(files)))).toEqual([
    expect.stringContaining('test: 21 files side by side'),
  ])
})
