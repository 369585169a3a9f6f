import { readdir, stat } from 'node:fs/promises'
import https from 'node:https'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { beforeAll, expect, it } from 'vitest'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { acmeSettings, startPebble } from '#test/support/authority/pebble.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, pebble, shareInstance } from '#test/support/setups/shared-instance.ts'

let tenant: Tenant
shareInstance({
  authority: true,
  settings: { server: 'workers = 2' },
})
beforeAll(async () => {
  tenant = await Tenant.create(panel)
})

/** A page over https, its certificate verified by the authority's root; rejects when it is not. */
const visit = async (host: string): Promise<{ status: number; text: string }> => {
  const ca = await pebble.issuedRoot()
  return new Promise((resolve, reject) => {
    const outgoing = https.request(
      {
        host: '127.0.0.1',
        port: instance.webSslPort,
        servername: host,
        headers: { host },
        path: '/',
        ca,
        agent: false,
      },
      (incoming) => {
        let text = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (chunk: string) => (text += chunk))
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }))
      },
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}

it('a site gets a certificate through the API, and browsers trust it', async () => {
  await expect(visit(tenant.domain)).rejects.toMatchObject({ code: expect.stringMatching(/CERT/) })

  // Its name is in no DNS, and the answer says so.
  const refused = await panel.call('POST', '/api/ssl/provision', { domain: tenant.domain })
  expect([refused.status, refused.body.error]).toEqual([
    400,
    expect.stringMatching(/has no address in the DNS|Nothing answers/),
  ])

  const made = await panel.data<{ san: string[]; files: { key: string } }>(
    'POST',
    '/api/ssl/provision',
    { domain: tenant.domain, webroot: tenant.path('public_html'), force: true },
  )
  expect([...made.san].sort()).toEqual([tenant.domain, `www.${tenant.domain}`].sort())
  for (const name of made.san) expect((await visit(name)).status).toBe(200)

  const { mode, uid, gid } = await stat(made.files.key)
  const web = await stat(join(instance.config.paths.vhosts_dir))
  expect([mode & 0o777, uid, gid]).toEqual([0o640, 0, web.gid])
  const read = await tenant.run('cat', ['--', made.files.key])
  expect(read.code).not.toBe(0)
  const agentDir = join(instance.config.paths.state_dir, 'agent', 'acme')
  expect(await readdir(agentDir)).toHaveLength(1)
  const domains = await panel.data<{ domain_name: string; ssl_status: string }[]>(
    'GET',
    '/api/domains',
  )
  expect(domains[0]).toMatchObject({ domain_name: tenant.domain, ssl_status: 'active' })
})

it('it survives a restart of everything, and a redirect is only when asked for', async () => {
  expect((await instance.site(tenant.domain, '/')).status).toBe(200)
  await instance.stop({ keep: true })
  await instance.startAgain()
  expect((await visit(tenant.domain)).status).toBe(200)
  await panel.data('POST', '/api/ssl/provision', {
    domain: tenant.domain,
    force: true,
    redirect_https: true,
  })
  const redirected = await instance.site(tenant.domain, '/')
  expect([redirected.status, redirected.headers['location']]).toEqual([
    301,
    `https://${tenant.domain}:${instance.webSslPort}/`,
  ])
  expect((await visit(tenant.domain)).status).toBe(200)
})

it('open connections live through a renewal, new ones see the new certificate', async () => {
  const before = await panel.data<{ serial: string }>(
    'GET',
    `/api/ssl/certificate/${tenant.domain}`,
  )
  const serialShown = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port: instance.webSslPort,
        servername: tenant.domain,
        rejectUnauthorized: false,
      })
      socket.on('error', reject)
      socket.on('secureConnect', () => {
        resolve(socket.getPeerCertificate().serialNumber)
        socket.destroy()
      })
    })
  expect(await serialShown()).toBe(before.serial)
  const after = await panel.data<{ serial: string }>('GET', `/api/ssl/renew/${tenant.domain}`)
  expect(after.serial).not.toBe(before.serial)
  expect(await serialShown()).toBe(after.serial)
})

it('with its account everything of it goes', async () => {
  await panel.data('DELETE', `/api/accounts/${tenant.id}`, {})
  await expect(visit(tenant.domain)).rejects.toMatchObject({ code: expect.stringMatching(/CERT/) })
  expect(await readdir(instance.config.ssl.directory)).toEqual([])
  expect(await panel.data('GET', '/api/ssl/certificates')).toEqual([])
})

/** One call of the API over https; trusts `ca`, or anything when it is null. */
const overTls = (
  url: string,
  ca: string | null,
  options: { body?: unknown; token?: string; servername?: string } = {},
): Promise<{ status: number; body: { data?: unknown; error?: string } }> =>
  new Promise((resolve, reject) => {
    const { body, token, servername } = options
    const outgoing = https.request(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        agent: false,
        ...(servername === undefined ? {} : { servername }),
        ...(ca === null ? { rejectUnauthorized: false } : { ca }),
      },
      (incoming) => {
        let text = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (chunk: string) => (text += chunk))
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            body: JSON.parse(text) as { data?: unknown; error?: string },
          }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })

it('the panel gets a certificate for its own name', async () => {
  const [httpPort = 0] = await freePorts(1)
  const name = 'panel.example.net'
  const authority = await startPebble({ httpPort })
  let own: Instance | null = null
  try {
    own = await startInstance({
      settings: {
        panel: `tls = "${name}"\n${acmeSettings(authority)}`,
        server: 'workers = 1',
      },
      httpPort,
    })
    const base = own.panelUrl.replace('http:', 'https:')
    const redirected = await fetch(`${own.panelUrl}/login`, { redirect: 'manual' })
    expect([redirected.status, redirected.headers.get('location')]).toEqual([301, `${base}/login`])
    const setup = await overTls(`${base}/api/auth/setup`, null, {
      body: { username: 'admin', password: 'correct horse 9' },
    })
    const { token } = setup.body.data as { token: string }
    const made = await overTls(`${base}/api/ssl/provision`, null, {
      token,
      body: { domain: name, force: true },
    })
    expect(made.body).toMatchObject({ ok: true, data: { domain: name, san: [name] } })
    const root = await authority.issuedRoot()
    const deadline = Date.now() + 60_000
    for (;;) {
      const answer = await overTls(`${base}/api/auth/me`, root, { token, servername: name }).catch(
        () => null,
      )
      if (answer !== null) {
        expect(answer.status).toBe(200)
        break
      }
      if (Date.now() > deadline) throw new Error('the panel does not show its certificate')
      await delay(200)
    }
    // Nobody hosts a site under the panel's name.
    const site = await overTls(`${base}/api/accounts`, null, {
      token,
      body: {
        username: 'btpanelname',
        domain: name,
        email: 'a@example.com',
        password: 'long enough 9',
        plan: 'free',
      },
    })
    expect(site.status).toBe(409)
  } finally {
    await own?.stop()
    await authority.stop()
  }
})
