import { beforeAll, expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { readEvents } from '../frame/event-reader.ts'

interface Line {
  id: string
  domain: string | null
  path: string | null
  message: string
  raw: string
}
interface Page {
  lines: Line[]
  next: string | null
  truncated: boolean
  end: string
}

/** An access line of now unless `atMs` says otherwise. */
const line = (host: string, path: string, { status = 200, agent = 'curl', atMs = 0 } = {}) => {
  const [, day, month, year, time] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(atMs || Date.now()).toUTCString()) ?? []
  return `192.0.2.1 - - [${day}/${month}/${year}:${time} +0000] "GET ${path} HTTP/1.1" ${status} 12 "-" "${agent}" ${host} MISS 0.004`
}

export const logsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('logs', makeInstance, (shared) => {
    let alice: ApiClient
    let bobby: ApiClient
    beforeAll(async () => {
      const { admin, instance } = shared
      for (const name of ['alice', 'bobby']) await createAccount(admin, name)
      alice = await accountClient(instance, 'alice')
      bobby = await accountClient(instance, 'bobby')
      const { logs } = instance.host
      logs.append('access', line('alice.example', '/before', { atMs: Date.UTC(2020, 0, 1) }))
      logs.append('access', line('alice.example', '/mine?token=hunter2&a=1'))
      logs.append('access', line('www.alice.example', '/www', { status: 404 }))
      logs.append('access', line('bobby.example', '/his', { agent: '<script>alert(1)</script>' }))
      logs.append('access', line('other.example', '/nobody'))
      logs.append('access', 'a broken line about alice.example')
      const now = new Date().toISOString()
      logs.append('php', `${now} alice.example: PHP message: PHP Fatal error:  hers`)
      logs.append('php', `${now} bobby.example: PHP message: his domain=alice.example`)
      logs.append('error', `${now} [error] 1: it failed domain=alice.example path=/x`)
      logs.append('error', `${now} [error] 1: it failed path=/x domain=alice.example`)
      logs.append('panel', '{"level":50,"time":1,"msg":"\\u001b[31mred"}')
    })

    const page = async (client: ApiClient, query: string): Promise<Page> => {
      const { status, body } = await client.get(`/api/logs/${query}`)
      expect([status, body.error]).toEqual([200, undefined])
      return body.data as Page
    }
    const paths = async (client: ApiClient, query: string) =>
      (await page(client, query)).lines.map(({ path }) => path)

    test('lists what there is, and to an account what it may see', async () => {
      const listed = (await shared.admin.get('/api/logs')).body.data as { source: string }[]
      expect(listed.map(({ source }) => source)).toEqual(['access', 'error', 'php', 'panel'])
      expect((await alice.get('/api/logs')).body.data).toEqual(
        ['access', 'error', 'php'].map((source) => ({ source, size_bytes: null })),
      )
    })

    test('parses lines, newest first, without their secrets', async () => {
      const { lines } = await page(shared.admin, 'access?domain=alice.example')
      expect(lines.map(({ path }) => path)).toEqual(['/www', '/mine?token=***&a=1', '/before'])
      expect(lines[1]).toMatchObject({
        level: 'info',
        domain: 'alice.example',
        status: 200,
        method: 'GET',
        client: '192.0.2.1',
        bytes: 12,
        duration_ms: 4,
        cache: 'MISS',
        user_agent: 'curl',
        cut: false,
      })
      expect(JSON.stringify(lines)).not.toContain('hunter2')
      expect(await paths(shared.admin, 'access?q=hunter2')).toEqual([])
    })

    test('goes back page by page', async () => {
      const seen: unknown[] = []
      let next: string | null = null
      do {
        const more: Page = await page(
          shared.admin,
          `access?lines=2${next === null ? '' : `&before=${next}`}`,
        )
        seen.push(...more.lines.map(({ raw }) => raw))
        next = more.next
      } while (next !== null)
      expect(seen).toHaveLength(6)
      expect(new Set(seen).size).toBe(6)
    })

    test('shows an account its own lines alone, from its domain’s first day on', async () => {
      expect(await paths(alice, 'access')).toEqual(['/www', '/mine?token=***&a=1'])
      expect(await paths(bobby, 'access')).toEqual(['/his'])
      expect(await paths(alice, 'access?domain=alice.example&status=4xx')).toEqual(['/www'])
      const php = (await page(alice, 'php')).lines
      expect(php.map(({ message }) => message)).toEqual(['PHP message: PHP Fatal error:  hers'])
      const errors = (await page(alice, 'error')).lines
      expect(errors.map(({ message }) => message)).toEqual([
        'it failed domain=alice.example path=/x',
      ])
    })

    test('refuses what is not the caller’s, and what makes no sense', async () => {
      for (const source of ['panel', 'agent', 'web', 'hooks']) {
        for (const rest of ['', '/stream', '/download'])
          expect((await alice.get(`/api/logs/${source}${rest}`)).status).toBe(403)
      }
      for (const rest of ['', '/stream', '/download'])
        for (const domain of ['bobby.example', 'other.example', 'alice.example.', '..'])
          expect((await alice.get(`/api/logs/access${rest}?domain=${domain}`)).status).toBe(404)
      for (const source of ['..', '%2e%2e%2fpanel', 'access.log', '%00', 'constructor', 'Access'])
        expect([404, 400]).toContain((await shared.admin.get(`/api/logs/${source}`)).status)
      for (const query of [
        'lines=0',
        'lines=501',
        'before=x',
        'level=loud',
        'status=999',
        'status=9xx',
        'from=yesterday',
        'to=2026-99-99',
        'method=get',
        `q=${'x'.repeat(201)}`,
      ])
        expect([query, (await shared.admin.get(`/api/logs/access?${query}`)).status]).toEqual([
          query,
          400,
        ])
    })

    test('keeps hostile text as text', async () => {
      const { lines } = await page(shared.admin, 'panel')
      expect(lines[0]).toMatchObject({ level: 'error', message: '\\x1b[31mred' })
      expect(lines[0]?.raw).not.toContain('\u001b')
      const [his] = (await page(bobby, 'access')).lines
      expect(his?.raw).toContain('<script>alert(1)</script>')
    })

    test('says when a place was rotated away', async () => {
      const { end } = await page(shared.admin, 'agent')
      shared.instance.host.logs.append('agent', 'x')
      shared.instance.host.logs.append('agent', 'y')
      shared.instance.host.logs.forget('agent')
      expect((await shared.admin.get(`/api/logs/agent?before=${end}`)).status).toBe(409)
    })

    const open = (client: ApiClient, path: string, headers: Record<string, string> = {}) =>
      shared.instance.fetch(path, {
        headers: { authorization: `Bearer ${client.token}`, ...headers },
      })

    test('streams new lines with the filters, and goes on behind the last', async () => {
      const { logs } = shared.instance.host
      const stream = await open(alice, '/api/logs/access/stream?status=5xx')
      const events = readEvents(stream)
      expect(await events.next()).toMatchObject({ event: 'begin' })
      logs.append('access', line('bobby.example', '/not-hers', { status: 500 }))
      logs.append('access', line('alice.example', '/fine'))
      logs.append('access', line('alice.example', '/broken', { status: 500 }))
      const event = await events.next()
      expect(event).toMatchObject({ event: 'line', data: { path: '/broken', level: 'error' } })
      await events.cancel()
      logs.append('access', line('alice.example', '/missed', { status: 502 }))
      const again = readEvents(
        await open(alice, '/api/logs/access/stream?status=5xx', {
          'last-event-id': String(event?.data['id']),
        }),
      )
      await again.next()
      const paths = [(await again.next())?.data['path'], (await again.next())?.data['path']]
      expect(paths).toEqual(['/broken', '/missed'])
      await again.cancel()
    })

    test('bounds how many follow', async () => {
      const streams = await Promise.all(
        Array.from({ length: 6 }, () => open(bobby, '/api/logs/access/stream')),
      )
      expect(streams.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429, 429])
      for (const { body } of streams) await body?.cancel()
    })

    test('bounds how many searches of one user run, so that others get theirs', async () => {
      const { logs } = shared.instance.host
      const { read } = logs
      let release = (): void => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      logs.read = async (input) => {
        if (input.filter.q === 'held') await held
        return read(input)
      }
      try {
        const answers = Array.from({ length: 6 }, () => open(bobby, '/api/logs/access?q=held'))
        const refused = await Promise.race(answers.map(async (one) => (await one).status))
        expect(refused).toBe(429)
        expect(await paths(alice, 'access')).toContain('/www')
        release()
        const statuses = (await Promise.all(answers)).map(({ status }) => status)
        expect(statuses.sort()).toEqual([200, 200, 200, 200, 429, 429])
        expect(await paths(bobby, 'access')).toContain('/his')
      } finally {
        release()
        logs.read = read
      }
    })

    test('downloads the lines that the caller may see, oldest first', async () => {
      const file = await open(alice, '/api/logs/access/download')
      expect(file.headers.get('content-disposition')).toBe('attachment; filename="access.log"')
      const text = await file.text()
      expect(text).toContain('/mine?token=***')
      expect(text.indexOf('/mine')).toBeLessThan(text.indexOf('/www'))
      for (const foreign of ['/his', '/before', '/nobody', 'hunter2', 'broken line'])
        expect(text).not.toContain(foreign)
    })

    test('ends a stream when the right to it ends', async () => {
      const { instance, admin } = shared
      const { id } = await createAccount(admin, 'carol')
      const carol = await accountClient(instance, 'carol')
      const events = readEvents(await open(carol, '/api/logs/access/stream'))
      await events.next()
      expect((await admin.post(`/api/accounts/${id}/suspend`, {})).status).toBe(200)
      instance.host.logs.append('access', line('carol.example', '/late'))
      expect(await events.next()).toBeNull()
    })
  })
}
