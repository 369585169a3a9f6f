import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { documentPath, openApiDocument } from '#handlers/panel/openapi/document.ts'
import type { OpenApiDocument } from '#handlers/panel/openapi/document-types.ts'
import { openApiPage } from '#handlers/panel/openapi/page.ts'
import { routesOf } from '#handlers/panel/frame/routes-of.ts'
import { allRoutes } from '#handlers/panel/routes.ts'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import type { Services } from '#handlers/services/services.ts'
import { createOpenApiCheck, publishedDocument } from '#test/contract/frame/openapi-check.ts'

/** The table only; nothing in it is called. */
const routes = allRoutes({} as PanelDeps, {} as Services)

const referencesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : referencesIn(inner),
  )
}

const resolve = (document: OpenApiDocument, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document)

describe('the published document', () => {
  test('has every route of the table and no other', async () => {
    const { paths } = await publishedDocument()
    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const declared = routes.map(({ method, path }) => `${method} ${documentPath(path)}`)
    expect(documented.sort()).toEqual(declared.sort())
  })

  test('is OpenAPI 3.1 in shape', async () => {
    const document = await publishedDocument()
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toEqual({
      title: expect.any(String),
      version: expect.any(String),
      description: expect.any(String),
    })
    const known = Object.keys(document.components.securitySchemes)
    for (const scheme of document.security.flatMap((one) => Object.keys(one))) {
      expect(known).toContain(scheme)
    }
    const ids = new Set<string>()
    const tags = document.tags.map(({ name }) => name)
    for (const [path, operations] of Object.entries(document.paths)) {
      expect(path).toMatch(/^\/api\/[\w./{}-]+$/)
      for (const [method, operation] of Object.entries(operations)) {
        const where = `${method} ${path}`
        expect(['get', 'post', 'patch', 'put', 'delete'], where).toContain(method)
        expect(operation.operationId, where).toMatch(/^[a-z][A-Za-z0-9]+$/)
        expect(ids.has(operation.operationId), `${operation.operationId} is there once`).toBe(false)
        ids.add(operation.operationId)
        expect(operation.summary, where).toMatch(/^[A-Z].*[^.]$/)
        for (const tag of operation.tags) expect(tags, where).toContain(tag)
        const inPath = (operation.parameters ?? []).filter((one) => one.in === 'path')
        const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        expect(inPath.map(({ name }) => name).sort(), where).toEqual(names.sort())
        expect(
          inPath.every(({ required }) => required),
          where,
        ).toBe(true)
        for (const [status, answer] of Object.entries(operation.responses)) {
          expect(status, where).toMatch(/^[2-5]\d\d$/)
          expect(answer.description, where).not.toBe('')
        }
        expect(Object.keys(operation.responses), where).toContain('200')
      }
    }
  })

  test('has every schema that it refers to, and none besides', async () => {
    const document = await publishedDocument()
    const references = referencesIn(document)
    for (const reference of references) {
      expect(resolve(document, reference), reference).toBeTypeOf('object')
    }
    for (const name of Object.keys(document.components.schemas)) {
      expect(references).toContain(`#/components/schemas/${name}`)
    }
  })

  test('only setup, the ways in and out, and hooks do without a token', async () => {
    const { paths } = await publishedDocument()
    const open = Object.entries(paths).filter(([, operations]) =>
      Object.values(operations).some(({ security }) => security !== undefined),
    )
    expect(open.map(([path]) => path).sort()).toEqual([
      '/api/auth/invitation',
      '/api/auth/invitation/look',
      '/api/auth/login',
      '/api/auth/logout',
      '/api/auth/passkey',
      '/api/auth/passkey/options',
      '/api/auth/setup',
      '/api/hooks/applications/{hook}',
      '/api/panels/join',
    ])
  })

  test('numbers of a path are numbers, and what a body may leave out is optional', async () => {
    const { paths } = await publishedDocument()
    expect(paths['/api/accounts/{id}']?.['get']?.parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
    ])
    const body = paths['/api/accounts']?.['post']?.requestBody
    expect(body?.content['application/json']?.schema.required).toEqual([
      'username',
      'domain',
      'email',
      'password',
      'plan',
    ])
  })
})

describe('the check against the document', () => {
  const account = { username: 'boss', role: 'admin', account_id: null }
  const ask = async (path: string, body: unknown, status = 200, type = 'application/json') => {
    const check = createOpenApiCheck(await publishedDocument())
    const headers = { 'content-type': type }
    const response = new Response(JSON.stringify(body), { status, headers })
    return check({ method: 'GET', path, response })
  }

  test('lets through what is documented', async () => {
    await ask('/api/auth/me', { ok: true, data: account })
    await ask('/api/auth/me', { ok: false, error: 'No.' }, 401)
    await ask('/api/nothing', { ok: false, error: 'No.' }, 404)
  })

  test.each([
    ['an unknown field', '/api/auth/me', { ok: true, data: { ...account, id: 1 } }, 200],
    ['a missing field', '/api/auth/me', { ok: true, data: { username: 'x', role: 'admin' } }, 200],
    ['another type', '/api/auth/me', { ok: true, data: { ...account, username: 1 } }, 200],
    ['a field beside data', '/api/auth/me', { ok: true, data: account, more: 1 }, 200],
    ['an unknown status', '/api/auth/me', { ok: false, error: 'No.' }, 409],
    ['an unknown path', '/api/nothing', { ok: true, data: null }, 200],
    ['a failure with details', '/api/nothing', { ok: false, error: 'No.', stack: '' }, 404],
    ['a header left out', '/api/accounts', { ok: true, data: [] }, 200],
  ])('refuses %s', async (_, path, body, status) => {
    await expect(ask(path, body, status)).rejects.toThrow('against the document')
  })

  test('refuses another media type, and a body that the document does not allow', async () => {
    const data = { ok: true, data: account }
    await expect(ask('/api/auth/me', data, 200, 'text/html')).rejects.toThrow('media type')
    const check = createOpenApiCheck(await publishedDocument())
    const response = Response.json({ ok: true, data: { written: 1 } })
    const exchange = { method: 'POST', path: '/api/veloserve/regenerate', response }
    await expect(check(exchange)).rejects.toThrow('against the document')
    await expect(
      check({
        method: 'POST',
        path: '/api/files/mkdir',
        requestBody: '{"account_id":"1","path":"x"}',
        response: Response.json({ ok: true, data: null }),
      }),
    ).rejects.toThrow('accepted a body')
  })
})

test('the page escapes what it shows', () => {
  const evil = `<script>alert("x")</script>'&`
  const page = openApiPage(
    openApiDocument([
      routesOf(evil).self.post('/api/x/:id', {
        summary: evil,
        description: evil,
        params: z.object({ id: z.string().describe(evil) }),
        query: z.object({ [evil]: z.string() }),
        body: z.object({ [evil]: z.string().default(evil).describe(evil) }),
        data: z.object({ [evil]: z.enum([evil] as [string]) }),
        headers: { [evil]: evil },
        errors: { 404: evil },
        handle: async () => ({ [evil]: evil }),
      }),
    ]),
  )
  expect(page).not.toContain('<script')
  expect(page).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;')
})
