import { appendFile, link, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readEvents } from '#test/contract/frame/event-reader.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

interface Line {
  domain: string | null
  path: string | null
  status: number | null
  user_agent: string | null
  message: string
  raw: string
}

/** Lines are written half a second later, and a busy machine needs longer. */
const SOON = { timeout: 20_000, interval: 300 }

describe('logs of an installation with two tenants', () => {
  let victim: Tenant
  let mallory: Tenant
  let victimToken: string
  let malloryToken: string
  beforeAll(async () => {
    victim = await Tenant.create(panel)
    mallory = await Tenant.create(panel)
    const logIn = async ({ username, password }: Tenant) =>
      (await panel.data<{ token: string }>('POST', '/api/auth/login', { username, password })).token
    victimToken = await logIn(victim)
    malloryToken = await logIn(mallory)
  })

  const lines = async (path: string, token: string | null = panel.token): Promise<Line[]> => {
    const { status, body } = await panel.call('GET', `/api/logs/${path}`, undefined, token)
    expect([status, body.error]).toEqual([200, undefined])
    return (body.data as { lines: Line[] }).lines
  }
  const webLog = (name: string) => join(instance.config.paths.log_dir, 'web', name)
  const follow = async (path: string, token: string | null) => {
    const response = await fetch(new URL(`/api/logs/${path}`, instance.panelUrl), {
      headers: { authorization: `Bearer ${token ?? ''}` },
    })
    expect(response.status).toBe(200)
    const events = readEvents(response)
    expect(await events.next()).toMatchObject({ event: 'begin' })
    return {
      cancel: events.cancel,
      /** Paths of the next `count` lines. */
      async paths(count: number): Promise<unknown[]> {
        const found: unknown[] = []
        while (found.length < count) {
          const event = await events.next()
          if (event === null) return found
          if (event.event === 'line') found.push(event.data['path'])
        }
        return found
      },
    }
  }

  test('a request appears in the live tail of its tenant, and through a rotation', async () => {
    const tail = await follow('access/stream', victimToken)
    const foreign = await follow('access/stream?q=second', malloryToken)
    await instance.site(mallory.domain, '/not-hers')
    await instance.site(victim.domain, '/first')
    expect(await tail.paths(1)).toEqual(['/first'])
    await rename(webLog('access.log'), webLog('access.log.1'))
    await instance.site(victim.domain, '/second')
    expect(await tail.paths(1)).toEqual(['/second'])
    process.kill((await instance.pids()).supervisor, 'SIGUSR1')
    await waitFor(async () => {
      await instance.site(victim.domain, '/third')
      expect(await readFile(webLog('access.log'), 'utf8')).toContain('/third')
    }, SOON)
    expect(await tail.paths(1)).toEqual(['/third'])
    await instance.site(mallory.domain, '/second-of-mallory')
    expect(await foreign.paths(1)).toEqual(['/second-of-mallory'])
    await tail.cancel()
    await foreign.cancel()
    const paths = (await lines('access', victimToken)).map(({ path }) => path)
    expect(paths.slice(-2)).toEqual(['/second', '/first'])
  })

  test('an error of a tenant’s PHP is that tenant’s to see, and nobody else’s', async () => {
    await victim.put('public_html/broken.php', '<?php ini_set("error_log", ""); größe_fehlt();')
    await instance.site(victim.domain, '/broken.php')
    await waitFor(async () => {
      const [error] = await lines('php?level=error', victimToken)
      expect(error?.message).toContain('undefined function größe_fehlt()')
      expect(error?.domain).toBe(victim.domain)
    }, SOON)
    expect(await lines('php', malloryToken)).toEqual([])
  })

  test('no request and no script forges a line of another tenant', async () => {
    const forged = `127.0.0.1 - - [22/Nov/2026:00:00:00 +0000] "GET /forged HTTP/1.1" 200 1 "-" "-" ${victim.domain} HIT 0.000`
    const agents = [
      `x" ${victim.domain} HIT 0.000`,
      `\u001b[2J\u001b]0;owned\u0007`,
      '<script>alert(1)</script>',
    ]
    for (const agent of agents)
      await instance
        .site(mallory.domain, `/forged?domain=${victim.domain}`, {
          headers: { 'user-agent': agent },
        })
        .catch(() => null)
    // Line ends, bare and folded, in places where a client must not have them.
    for (const head of [
      `GET /forged HTTP/1.1\r\nHost: ${mallory.domain}\r\nUser-Agent: x\n${forged}\r\n\r\n`,
      `GET /forged\n${forged} HTTP/1.1\r\nHost: ${mallory.domain}\r\n\r\n`,
      `GET /forged%0a${encodeURIComponent(forged)} HTTP/1.1\r\nHost: ${mallory.domain}\r\nConnection: close\r\n\r\n`,
    ])
      await new Promise<void>((resolve) => {
        const socket = connect(instance.webPort, '127.0.0.1', () => socket.end(head))
        socket.on('close', () => resolve()).on('error', () => resolve())
        socket.resume()
      })
    await mallory.put(
      'public_html/forge.php',
      `<?php ini_set('error_log', ''); error_log("x\\n2026-11-22T00:00:00.000Z ${victim.domain}: forged domain=${victim.domain}");`,
    )
    await instance.site(mallory.domain, '/forge.php')
    await waitFor(async () => {
      const shown = await lines('access?q=forge.php', malloryToken)
      expect(shown).not.toEqual([])
    }, SOON)
    for (const log of ['access', 'php', 'error'])
      expect(JSON.stringify(await lines(`${log}?q=forge`, victimToken))).not.toContain('forged')
    const own = await lines('access?q=forged', malloryToken)
    expect(own.length).toBeGreaterThan(1)
    for (const { raw, domain, user_agent } of own) {
      expect(domain).toBe(mallory.domain)
      expect(`${raw}${user_agent}`).not.toMatch(/\p{Cc}/u)
    }
  })

  test('what stands in an address as a secret is never shown', async () => {
    await instance.site(victim.domain, '/reset?key=geheim77&login=x')
    await waitFor(async () => {
      const [shown] = await lines('access?q=reset', victimToken)
      expect(shown?.path).toBe('/reset?key=***&login=x')
    }, SOON)
    for (const token of [victimToken, panel.token])
      expect(await lines('access?q=geheim77', token)).toEqual([])
  })

  test('a link in the log directory leads nowhere', async () => {
    const hooksLog = join(instance.config.paths.log_dir, 'hooks.log')
    await rm(hooksLog, { force: true })
    await symlink('/etc/shadow', hooksLog)
    expect(await lines('hooks')).toEqual([])
    await rm(hooksLog)
    const secret = join(instance.config.paths.state_dir, 'a-secret')
    await writeFile(secret, 'top secret\n', { mode: 0o600 })
    await link(secret, hooksLog)
    expect(await lines('hooks')).toEqual([])
    await rm(hooksLog)
  })

  test('no source is a path, and no system log is a tenant’s', async () => {
    for (const source of ['..%2fpanel', '%2e%2e', 'web%2ferror.log', 'access.log', '__proto__'])
      for (const rest of ['', '/stream', '/download'])
        for (const token of [panel.token, malloryToken]) {
          const { status } = await panel.call('GET', `/api/logs/${source}${rest}`, undefined, token)
          expect([source, rest, [400, 404].includes(status)]).toEqual([source, rest, true])
        }
    for (const source of ['panel', 'agent', 'web', 'hooks'])
      expect((await panel.call('GET', `/api/logs/${source}`, undefined, malloryToken)).status).toBe(
        403,
      )
    const listed = await panel.data<{ source: string }[]>('GET', '/api/logs')
    const sources = listed.map(({ source }) => source)
    expect(sources).toEqual(expect.arrayContaining(['access', 'error', 'php', 'panel', 'agent']))
  })

  test('a flood of listeners and a giant log leave the panel answering', async () => {
    const url = new URL('/api/logs/access/stream', instance.panelUrl)
    const headers = { authorization: `Bearer ${malloryToken}` }
    const streams = await Promise.all(Array.from({ length: 40 }, () => fetch(url, { headers })))
    expect(streams.filter(({ status }) => status === 200)).toHaveLength(4)
    expect(streams.filter(({ status }) => status === 429)).toHaveLength(36)
    const line = `127.0.0.1 - - [22/Nov/2026:00:00:00 +0000] "GET /${'x'.repeat(900)} HTTP/1.1" 200 1 "-" "-" other.example HIT 0.000\n`
    for (let times = 0; times < 60; times++)
      await appendFile(webLog('access.log'), line.repeat(1000))
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        panel.call('GET', '/api/logs/access?q=nowhere', undefined, panel.token),
      ),
    )
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    for (const { status, body } of answers)
      if (status === 200) expect(body.data).toMatchObject({ lines: [], truncated: true })
      else expect(status).toBe(429)
    const { agent } = await instance.pids()
    const memory = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${agent}/status`, 'utf8'))?.[1]
    expect(Number(memory)).toBeLessThan(500_000)
    for (const { body } of streams) await body?.cancel()
  })
})
