import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRuleFiles } from '#adapters/node/web-server/files/rule-files.ts'
import { createSiteFiles } from '#adapters/node/web-server/files/site-files.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { createExplainer, type ExplainRequest } from '#handlers/sites/explain/explain-request.ts'
import { createSiteRules } from '#handlers/sites/htaccess/files/site-rules.ts'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { createSiteHandler } from '#handlers/sites/site-handler.ts'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { virtualHost } from '#test/support/setups/virtual-hosts.ts'
import { caseSites } from './sites/index.ts'
import { titleOf } from './support/expect-same.ts'

/** Each request of the comparison with Apache, answered and explained: both must say the same. */
const directory = mkdtempSync(join(tmpdir(), 'berth-explain-'))
const rootOf = (name: string): string => join(directory, name)
const MTIME = new Date('2026-01-02T03:04:05Z')

const plant = (name: string, tree: Readonly<Record<string, string>>): void => {
  mkdirSync(rootOf(name))
  for (const [path, content] of Object.entries(tree)) {
    const file = join(rootOf(name), path)
    mkdirSync(path.endsWith('/') ? file : dirname(file), { recursive: true })
    if (path.endsWith('/')) continue
    writeFileSync(file, content.replaceAll('{root}', rootOf(name)))
    utimesSync(file, MTIME, MTIME)
  }
}

const hostOf = (name: string): VirtualHostConfig =>
  virtualHost(`${name}.test`, {
    aliases: [`www.${name}.test`],
    root: rootOf(name),
    home: rootOf(name),
    index: ['index.php', 'index.html'],
    htaccess: true,
    htaccess_unknown: 'error',
  })

let handler: SiteHandler
let explain: ExplainRequest
beforeAll(() => {
  for (const { name, tree } of caseSites) plant(name, tree)
  const table = createVirtualHostTable(caseSites.map(({ name }) => hostOf(name)))
  const files = createSiteFiles()
  const ruleFiles = createRuleFiles()
  const log = createRecordingLog()
  const rules = createSiteRules({ files, ruleFiles, log, nowMs: () => Date.now() })
  const deps = {
    ...{ hosts: () => table, files, rules, verifyPassword: ruleFiles.verifyPassword },
    isTrustedProxy: () => true,
  }
  const php = { run: async () => new Response('of a script', { status: 299 }) }
  handler = createSiteHandler({ ...deps, php, cache: null, log })
  explain = createExplainer(deps)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe.each(caseSites)('explains as it answers: $name', ({ name, asks }) => {
  test.each(asks.map((ask) => [titleOf(ask), ask] as const))('%s', async (_, ask) => {
    const [, asked, fields = {}] = ask
    const { host = `${name}.test`, ...headers } = fields
    const space = asked.indexOf(' ')
    const method = space === -1 ? 'GET' : asked.slice(0, space)
    const target = asked.slice(space + 1)
    const url = `http://${host}${target}`
    const request = new Request(URL.canParse(url) ? url : `http://${host}/`, {
      method,
      headers: { ...headers, host },
    })
    const response = await handler(request, {
      ...{ clientAddress: '127.0.0.1', clientPort: 50_000 },
      ...{ serverAddress: '127.0.0.1', serverPort: 80 },
      ...{ secure: false, protocol: 'HTTP/1.1', rawTarget: target },
    })
    const lower = Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value])
    const explained = await explain({
      domain: `${name}.test`,
      ...{ method, url, headers: Object.fromEntries(lower), clientAddress: '127.0.0.1' },
      draft: null,
    })
    if (typeof explained === 'string') throw new Error(explained)
    const { outcome, steps } = explained
    const answered = response.status === 299 ? null : response.status
    const real = { status: answered, location: response.headers.get('location') }
    expect({ status: outcome.status, location: outcome.location }, JSON.stringify(steps)).toEqual(
      real,
    )
    for (const step of steps)
      if (step.kind === 'rule') expect(step.text).toMatch(/^\s*RewriteRule\s/i)
  })
})
