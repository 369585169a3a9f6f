import { expect, test } from 'vitest'
import { buildProgram } from '#cli/program.ts'
import { LATER_LIMITS, PLAN_LIMITS, type PlanLimit } from '#handlers/domain/accounts/plan-limits.ts'
import { openApiDocument } from '#handlers/panel/openapi/document.ts'
import type { JsonSchema } from '#handlers/panel/openapi/document-types.ts'
import { planRoutes } from '#handlers/panel/accounts/plan-routes.ts'
import type { PlanLimits } from '#handlers/ports/store/records.ts'
import type { Services } from '#handlers/services/services.ts'

/** The limits that plans began with. Those of later have a default, so that what made plans before still can. */
const FIRST = [
  'disk_quota_mb',
  'bandwidth_quota_mb',
  'domains_limit',
  'databases_limit',
  'tokens_limit',
  'backups_limit',
  'processes_limit',
  'memory_limit_mb',
]

// Does not compile when a limit of the records has no bounds here, or the other way around.
const FIELDS = Object.keys(PLAN_LIMITS) as (keyof PlanLimits & PlanLimit)[]
FIELDS satisfies (keyof PlanLimits)[]
Object.keys(PLAN_LIMITS) as (keyof PlanLimits)[] satisfies PlanLimit[]

const { paths, components } = openApiDocument(planRoutes({} as Services))
const bodyOf = (path: string, method: string): JsonSchema =>
  paths[path]?.[method]?.requestBody?.content['application/json']?.schema ?? {}
const commandOf = (name: string) =>
  buildProgram()
    .commands.find((group) => group.name() === 'plans')
    ?.commands.find((command) => command.name() === name)

test.each(FIELDS)('%s is bound alike wherever a plan is made or changed', (field) => {
  const [minimum, maximum] = PLAN_LIMITS[field]
  const made = bodyOf('/api/plans', 'post')
  const later = new Map<string, number>(Object.entries(LATER_LIMITS)).get(field)
  expect(made.required?.includes(field)).toBe(later === undefined)
  expect(made.properties?.[field]?.default).toBe(later)
  expect(made.properties?.[field]).toMatchObject({ type: 'integer', minimum, maximum })
  const changed = bodyOf('/api/plans/{name}', 'patch').properties?.[field]
  expect(changed).toMatchObject({ type: 'integer', minimum, maximum })
})

test('a limit that is added has a default', () => {
  expect([...FIRST, ...Object.keys(LATER_LIMITS)].sort()).toEqual([...FIELDS].sort())
})

test('no limit is forgotten in the API, its answers, or the command line', () => {
  const made = Object.keys(bodyOf('/api/plans', 'post').properties ?? {})
  expect(made).toEqual(['name', ...FIELDS])
  expect(Object.keys(bodyOf('/api/plans/{name}', 'patch').properties ?? {})).toEqual(FIELDS)
  expect(Object.keys(components.schemas['Plan']?.properties ?? {})).toEqual(
    expect.arrayContaining(FIELDS),
  )
  for (const name of ['create', 'update'])
    expect([name, commandOf(name)?.options.length]).toEqual([name, FIELDS.length])
})

test.each([
  ['--processes', '24', 'least 25'],
  ['--tokens', '101', 'most 100'],
  ['--domains', 'many', 'least 1'],
])('the command line refuses %s %s before it asks the panel', async (option, value, bound) => {
  const run = buildProgram(true).parseAsync(
    ['plans', 'update', 'free', option, value, '--url', 'http://127.0.0.1:1', '--token', 'x'],
    { from: 'user' },
  )
  await expect(run).rejects.toThrow(
    `${option} must be a whole number of at ${bound}, but is "${value}".`,
  )
})
