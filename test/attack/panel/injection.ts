import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import type { JsonSchema, OpenApiDocument } from '#handlers/panel/openapi/document-types.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { driftOf } from '#test/contract/host/drift-of.ts'

let alice: Tenant
let bella: Tenant
/** Where a command that was let through would leave its mark. */
let marks: string

beforeAll(async () => {
  marks = mkdtempSync(join(tmpdir(), 'bmark-'))
  alice = await Tenant.create(panel)
  bella = await Tenant.create(panel)
})
afterAll(async () => {
  rmSync(marks, { recursive: true, force: true })
})

const nasty = (): string[] => {
  const mark = join(marks, 'hit')
  return [
    `; touch ${mark} #`,
    `$(touch ${mark})`,
    `\`touch ${mark}\``,
    `| touch ${mark}`,
    `& touch ${mark} &`,
    `x > ${mark}`,
    `x\ntouch ${mark}\n`,
    'x\0y',
    `'"; touch ${mark}; '"`,
    ` ${mark} `,
    `--help`,
    `-x`,
    `"]\n[[virtualhost]]\ndomain = "evil.example"\n`,
    `' OR '1'='1`,
    `%0a%00..%2f..%2fetc%2fshadow`,
    '../../../../etc/shadow',
    '__proto__',
    '\u202e\uffff',
  ]
}

const goodValues = (): Record<string, unknown> => ({
  account_id: alice.id,
  username: randomUsername(),
  domain: `${randomUsername()}.example.com`,
  domain_name: `${randomUsername()}.example.com`,
  domain_type: 'addon',
  document_root: alice.path('public_html'),
  email: 'a@example.com',
  password: 'long enough 1',
  plan: 'free',
  db_name: 'x',
  db_password: 'long enough 1',
  engine: 'mariadb',
  path: 'public_html/x',
  content: 'x',
  mode: '644',
  version: '8.2',
  name: 'x',
})

const textFields = (schema: JsonSchema | undefined): string[] =>
  Object.entries(schema?.properties ?? {})
    .filter(([, property]) => {
      const { type, anyOf, enum: choice, items } = property
      const types = [type, ...(anyOf ?? []).map((one) => one.type)]
      return (
        choice === undefined &&
        (types.includes('string') || items !== undefined || types[0] === undefined)
      )
    })
    .map(([name]) => name)

/** What ends the test's own session or hands the machine to nobody. */
const LEFT_OUT = new Set(['/api/auth/logout', '/api/jobs/events', '/api/jobs/{id}/events'])

test('every text of every route with what shells, SQL, TOML and HTML take for syntax', async () => {
  const document = await panel.data<OpenApiDocument>('GET', '/api/openapi.json').catch(async () => {
    const response = await fetch(new URL('/api/openapi.json', instance.panelUrl), {
      headers: { authorization: `Bearer ${panel.token}` },
    })
    return (await response.json()) as OpenApiDocument
  })
  const passwd = readFileSync('/etc/passwd', 'utf8')
  const faults: string[] = []
  let sent = 0
  const send = async (method: string, path: string, body?: unknown): Promise<void> => {
    sent++
    const answer = await panel.call(method.toUpperCase(), path, body).catch(() => null)
    // Not JSON: a download, which no input here can begin.
    if (answer === null || answer.status >= 500) {
      if (answer?.status === 503) return
      faults.push(
        `${method} ${path} ${JSON.stringify(body)}: ${answer?.status} ${answer?.body.error}`,
      )
    } else if (answer.body.ok !== true && /\bat \/|sqlite|node:/i.test(answer.body.error ?? ''))
      faults.push(`${method} ${path}: tells ${answer.body.error}`)
  }

  for (const [path, operations] of Object.entries(document.paths)) {
    if (LEFT_OUT.has(path)) continue
    for (const [method, operation] of Object.entries(operations)) {
      const inPath = (operation.parameters ?? []).filter((one) => one.in === 'path')
      const inQuery = (operation.parameters ?? []).filter((one) => one.in === 'query')
      const schema = operation.requestBody?.content['application/json']?.schema
      const resolved = schema?.$ref
        ? document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
        : schema
      // An account that is not there, so that nothing in the path is a real target.
      const harmless = path.replace(/\{\w+\}/g, '999999')
      for (const [at, text] of nasty().entries()) {
        const encoded = encodeURIComponent(text)
        if (inPath.length > 0 && (at % 3 === 0 || method === 'get'))
          await send(
            method,
            path.replace(/\{\w+\}/g, () => encoded),
          )
        for (const { name } of inQuery)
          if (method === 'get' && at % 3 === 1) await send(method, `${harmless}?${name}=${encoded}`)
        const fields = textFields(resolved)
        for (const name of fields)
          await send(method, harmless, {
            ...goodValues(),
            [name]: text,
            ...(path.includes('password') ? { new_password: 'x' } : {}),
          })
      }
    }
  }
  expect(sent).toBeGreaterThan(500)
  expect(faults).toEqual([])
  expect(readdirSync(marks)).toEqual([])
  // Whoever is new in /etc/passwd is a hosting account with a plain name.
  const known = new Set(passwd.split('\n'))
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n'))
    if (!known.has(line))
      expect(line).toMatch(/^bt[a-z0-9]+:x:\d+:\d+:[^:]*:[^:]*\/home\/bt[a-z0-9]+:/)
  const loaded = await loadConfig(instance.config.file)
  expect(loaded.ok).toBe(true)
  if (loaded.ok)
    expect(loaded.config.virtualhost.map(({ domain }) => domain)).not.toContain('evil.example')
  expect(driftOf(await panel.data('GET', '/api/doctor'))).toEqual([])
}, 240_000)

const newAccount = (username: string, domain = `${randomUsername()}.example.com`) => ({
  username,
  domain,
  email: 'a@example.com',
  password: 'long enough 1',
  plan: 'free',
})

describe('names that are not to be had', () => {
  test.each([
    'root',
    'mysql',
    'www-data',
    'daemon',
    'berth',
    'nogroup',
    'sudo',
    'shadow',
    '12345',
    '-x',
    '--',
    'a',
    'ab',
    'x'.repeat(17),
    'user name',
    'us\u0435r',
    'ｕｓｅｒ',
    'user\n',
    'user:x',
    'user/..',
    '.user',
    'us\0er',
    '$(id)',
  ])('the username %j', async (username) => {
    const before = readFileSync('/etc/passwd', 'utf8') + readFileSync('/etc/group', 'utf8')
    const { status } = await panel.call('POST', '/api/accounts', newAccount(username))
    expect([400, 409]).toContain(status)
    expect(readFileSync('/etc/passwd', 'utf8') + readFileSync('/etc/group', 'utf8')).toBe(before)
  })

  test('a username in other case is the same one', async () => {
    const { status } = await panel.call(
      'POST',
      '/api/accounts',
      newAccount(bella.username.toUpperCase()),
    )
    expect(status).toBe(409)
  })

  const addon = (domain_name: string) =>
    panel.call('POST', '/api/domains', {
      account_id: alice.id,
      domain_name,
      domain_type: 'addon',
      document_root: alice.path('public_html'),
    })
  test.each([
    'a\nb.example',
    'a;b.example',
    'a{b}.example',
    'a#b.example',
    'a"b.example',
    "a'b.example",
    '*.example.com',
    `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}`,
    '127.0.0.1',
    '[::1]',
    '::1',
    'localhost',
    'a..b.example',
    '-a.example',
    'a-.example',
    `${'a'.repeat(64)}.example`,
    'xn--\u0000.example',
    'com',
    '../x.example',
    'x.example/..',
    'x.example:80',
    'x.example\0',
    '0x7f.1',
  ])('the domain %j', async (name) => {
    const before = readdirSync(instance.config.paths.vhosts_dir).sort()
    expect([400, 409]).toContain((await addon(name)).status)
    expect(readdirSync(instance.config.paths.vhosts_dir).sort()).toEqual(before)
  })

  test("another tenant's domain, above, below, in other case and with a dot", async () => {
    for (const name of [
      bella.domain,
      bella.domain.toUpperCase(),
      `${bella.domain}.`,
      `sub.${bella.domain}`,
      `www.${bella.domain}`,
    ])
      expect((await addon(name)).status, name).toBe(409)
    expect((await instance.site(bella.domain, '/')).text).toContain(bella.domain)
  })

  test('an IDN is kept as A-labels', async () => {
    const name = `bücher-${randomUsername()}.example`
    const { status, body } = await addon(name)
    expect(status).toBe(200)
    expect((body.data as { domain_name: string }).domain_name).toMatch(/^xn--[a-z0-9-]+\.example$/)
  })
})

describe('document roots', () => {
  const place = (document_root: string) =>
    panel.call('POST', '/api/domains', {
      account_id: alice.id,
      domain_name: `${randomUsername()}.example.com`,
      domain_type: 'addon',
      document_root,
    })
  test.each([
    () => '/',
    () => '/etc',
    () => '..',
    () => 'public_html',
    () => `${alice.home}/..`,
    () => `${alice.home}/public_html/../..`,
    () => `${alice.home}/../${bella.username}/public_html`,
    () => bella.home,
    () => bella.path('public_html'),
    () => `${alice.home}x`,
    () => alice.path('a\nb'),
    () => alice.path('a"b\n[x]\n'),
    () => alice.path('a\0b'),
    () => alice.path('x'.repeat(5000)),
    () => `${alice.home}\\..\\..`,
  ])('number %#: outside the home', async (root) => {
    const { status } = await place(root())
    expect(status).toBe(400)
  })

  test('a link out of the home serves and makes nothing there', async () => {
    await bella.put('public_html/secret.html', 'the secret of bella')
    await alice.run('ln', ['-sfn', '--', bella.home, alice.path('way')])
    await alice.run('ln', ['-sfn', '--', '/etc', alice.path('etc')])
    for (const root of ['way/public_html', 'way/new', 'etc/new', 'etc']) {
      const { status, body } = await place(alice.path(root))
      if (status === 200) {
        const { domain_name, id } = body.data as { domain_name: string; id: number }
        expect((await instance.site(domain_name, '/secret.html')).status).not.toBe(200)
        expect((await instance.site(domain_name, '/passwd')).status).not.toBe(200)
        await panel.data('DELETE', `/api/domains/${id}`)
      } else expect(status).toBeLessThan(500)
    }
    expect(existsSync('/etc/new')).toBe(false)
    expect(existsSync(join(bella.home, 'new'))).toBe(false)
  })
})
