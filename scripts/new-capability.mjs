import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const USAGE = `node scripts/new-capability.mjs NAME

Makes the skeleton of one more thing that is hosted, e.g. "cron": service, route,
answer, and a contract test that fails until it is made. NAME: 3 to 20 of a-z.
docs/adding-a-capability.md says what comes next.`

/** @param {string} name */
const capital = (name) => `${name[0]?.toUpperCase()}${name.slice(1)}`

/** @param {string} name @returns {Record<string, string>} texts by file */
const files = (name) => {
  const Name = capital(name)
  return {
    [`handlers/services/${name}/${name}.ts`]: `import { unavailable } from '../../errors.ts'

/** One of an account's ${name}, as the API shows it. */
export interface ${Name}View {
  id: number
  name: string
}

/** What the panel does with ${name}. */
export interface ${Name} {
  /** All of them. */
  list(): Promise<${Name}View[]>
}

export const create${Name} = (): ${Name} => ({
  list: () => Promise.reject(unavailable('${name}: not implemented yet.')),
})
`,
    [`handlers/panel/${name}/schema.ts`]: `import { z } from 'zod'
import { recordId } from '../frame/common-schemas.ts'

/** One of an account's ${name}. */
export const ${name}Schema = z
  .object({
    id: recordId(),
    name: z.string(),
  })
  .meta({ id: '${Name}' })
`,
    [`handlers/panel/${name}/routes.ts`]: `import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import type { Route } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { ${name}Schema } from './schema.ts'

const on = routesOf('${Name}')

export const ${name}Routes = ({ ${name} }: Services): Route[] => [
  on.system.get('/api/${name}', {
    summary: 'All ${name}',
    data: z.array(${name}Schema),
    errors: { 503: 'It is not implemented yet.' },
    handle: () => ${name}.list(),
  }),
]
`,
    [`test/contract/${name}/api-${name}.ts`]: `import { expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

export const ${name}Contract = (makeInstance: MakeApiInstance): void => {
  apiGroup('${name}', makeInstance, (shared) => {
    test('an instance begins without any', async () => {
      const { status, body } = await shared.admin.get('/api/${name}')
      expect([status, body.error ?? body.data]).toEqual([200, []])
    })
  })
}
`,
  }
}

/**
 * Lines that are put into lists: `before` is the line that they come to stand before.
 *
 * @param {string} name
 * @returns {{ file: string, before: string, line: string }[]}
 */
const lines = (name) => {
  const Name = capital(name)
  const services = 'handlers/services/services.ts'
  const routes = 'handlers/panel/routes.ts'
  const contract = 'test/contract/frame/api-contract.ts'
  return [
    {
      file: services,
      before: `import { createEvents } from './events/events.ts'`,
      line: `import { create${Name}, type ${Name} } from './${name}/${name}.ts'`,
    },
    { file: services, before: '  events: Events', line: `  ${name}: ${Name}` },
    {
      file: services,
      before: '    events: createEvents(deps),',
      line: `    ${name}: create${Name}(),`,
    },
    {
      file: routes,
      before: `import { documentRoutes } from './openapi/routes.ts'`,
      line: `import { ${name}Routes } from './${name}/routes.ts'`,
    },
    {
      file: routes,
      before: '    ...documentRoutes(() => routes),',
      line: `    ...${name}Routes(services),`,
    },
    {
      file: contract,
      before: `import { documentContract } from './api-document.ts'`,
      line: `import { ${name}Contract } from '../${name}/api-${name}.ts'`,
    },
    {
      file: contract,
      before: '  documentContract,',
      line: `  ${name}Contract,`,
    },
  ]
}

/**
 * Makes the skeleton; overwrites nothing.
 *
 * @param {string} root
 * @param {string} name
 * @returns {string[]} files that were made or changed
 */
export const newCapability = (root, name) => {
  if (!/^[a-z]{3,20}$/.test(name)) throw new Error(`"${name}" is no name: 3 to 20 letters of a-z.`)
  const made = files(name)
  for (const file of Object.keys(made))
    if (existsSync(join(root, file)))
      throw new Error(`${file} exists already. Choose another name.`)
  /** @type {Map<string, string>} */
  const changed = new Map()
  for (const { file, before, line } of lines(name)) {
    const text = changed.get(file) ?? readFileSync(join(root, file), 'utf8')
    const at = text.split('\n').indexOf(before)
    if (at === -1)
      throw new Error(`${file} has no line ${before.trim()}: mend scripts/new-capability.mjs.`)
    changed.set(file, text.split('\n').toSpliced(at, 0, line).join('\n'))
  }
  for (const [file, text] of [...Object.entries(made), ...changed]) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return [...Object.keys(made), ...changed.keys()]
}

if (import.meta.filename === process.argv[1]) {
  const [name] = process.argv.slice(2)
  if (name === undefined || name.startsWith('-')) {
    console.error(USAGE)
    process.exitCode = 2
  } else
    try {
      for (const file of newCapability(join(import.meta.dirname, '..'), name)) console.log(file)
      console.log(`Now: npm test -- test/node/contract/api.test.ts -t ${name}`)
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
      process.exitCode = 1
    }
}
