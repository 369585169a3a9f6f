import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { buildProgram } from '#cli/program.ts'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import { openApiDocument } from '#handlers/panel/openapi/document.ts'
import { allRoutes } from '#handlers/panel/routes.ts'
import type { Services } from '#handlers/services/services.ts'

const CLI = resolve(import.meta.dirname, '../../../cli')

/** Only asked for its declarations. */
const nothing = new Proxy({}, { get: () => ({}) })
const { paths } = openApiDocument(allRoutes({} as PanelDeps, nothing as Services))
/** With every parameter as `{}`. */
const routes = new Set(
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`,
    ),
  ),
)

const calls = readdirSync(CLI, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) =>
    [...readFileSync(join(CLI, name), 'utf8').matchAll(/\bapi`([A-Z]+ [^`]*)`/g)].map(
      ([, call = '']) => [call.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '{}'), name] as const,
    ),
  )
  // The examples of doc comments, and one whose last segment is a name of its own.
  .filter(([, name]) => !name.endsWith('panel-client.ts') && !name.endsWith('command-types.ts'))
  .filter(([call]) => call !== 'POST /api/veloserve/{}')

test('commands are found by their calls', () => {
  expect(calls.length).toBeGreaterThan(40)
})

test.each(calls)('%s of cli/%s is a route', (call) => {
  expect([...routes]).toContain(call)
})

/** What `--sort` of a list takes, by the path that it asks. */
const SORTED: readonly (readonly [command: string, path: string, missing?: string])[] = [
  ['accounts', '/api/accounts', 'bandwidth_used_mb'],
  ['domains', '/api/domains'],
  ['ssl', '/api/ssl/certificates'],
  ['backups', '/api/backups/accounts/{id}'],
  ['snapshots', '/api/backups/snapshots/accounts/{id}'],
  ['users', '/api/users'],
  ['resellers', '/api/resellers', 'disk_promised_mb'],
  ['tokens', '/api/tokens'],
  ['jobs', '/api/jobs'],
  ['audit', '/api/audit'],
]

for (const [name, path, missing] of SORTED)
  test(`berth ${name} list sorts by what ${path} takes`, () => {
    const list = buildProgram()
      .commands.find((group) => group.name() === name)
      ?.commands.find((command) => command.name() === 'list')
    const offered = list?.options.find(({ long }) => long === '--sort')?.argChoices
    const taken = paths[path]?.['get']?.parameters?.find((one) => one.name === 'sort')?.schema.enum
    expect(offered).toEqual(taken?.filter((field) => field !== missing))
  })
