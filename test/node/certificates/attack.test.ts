import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runAs } from '#test/node/agent/agent-fixture.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { createCertificatesFixture } from './certificates-fixture.ts'
import type { CertificatesFixture, SiteOwner } from './certificates-fixture.ts'

let fixture: CertificatesFixture
let owner: SiteOwner
let victim: SiteOwner
/** Root's, and open to nobody else. */
let foreign: string
beforeAll(async () => {
  fixture = await createCertificatesFixture()
  owner = await fixture.account()
  victim = await fixture.account()
  foreign = temporaryDirectory('berth-foreign-')
  await mkdir(join(foreign, 'acme-challenge'))
})
afterAll(async () => {
  await fixture.dispose()
})

const provision = (change: Record<string, unknown>) =>
  fixture.admin.post('/api/ssl/provision', { domain: owner.domain, ...change })
const as = (...argv: [string, ...string[]]): Promise<string> => {
  const user = fixture.agent.registry.account(owner.username)
  if (user === null) throw new Error('the account is gone')
  return runAs(user, ...argv)
}

describe('a webroot in a foreign place', () => {
  it.each([
    '/etc',
    '/',
    '/var/www/html',
    'public_html',
    '../victim',
    '/home',
    '/proc/self/cwd',
    '$(id)',
    '-rf',
  ])('%s is refused', async (webroot) => {
    const answer = await provision({ webroot })
    expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, 'webroot'])
  })

  it('so is that of another account, however it is written', async () => {
    for (const webroot of [
      `${victim.home}/public_html`,
      `${owner.home}/../${victim.username}/public_html`,
      `${owner.home}2/public_html`,
      `${owner.home}/public_html\n/etc`,
      `${owner.home}/a\0b`,
      `${owner.home}\\..\\${victim.username}`,
    ]) {
      const answer = await provision({ webroot })
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, 'webroot'])
    }
    expect(await readdir(join(victim.home, 'public_html'))).toEqual(['index.html'])
  })
})

describe('links in place of the directory for challenges', () => {
  const webroot = (): string => join(owner.home, 'public_html')
  beforeEach(() => as('/bin/rm', '-rf', '--', `${webroot()}/.well-known`))

  const nothingCameThrough = async (): Promise<void> => {
    expect(await readdir(foreign)).toEqual(['acme-challenge'])
    expect(await readdir(join(foreign, 'acme-challenge'))).toEqual([])
    expect(await readdir(join(victim.home, 'public_html'))).toEqual(['index.html'])
    expect(await readdir(join(fixture.sslDirectory, owner.domain)).catch(() => [])).toEqual([])
  }

  it.each(['.well-known', '.well-known/acme-challenge'])(
    '%s that leads out of the home is not followed',
    async (name) => {
      for (const target of [foreign, join(victim.home, 'public_html'), '/etc']) {
        await as('/bin/rm', '-rf', '--', `${webroot()}/.well-known`)
        if (name.includes('/')) await as('/bin/mkdir', '--', `${webroot()}/.well-known`)
        await as('/bin/ln', '-s', '--', target, `${webroot()}/${name}`)
        const { status } = await provision({ webroot: webroot() })
        expect([400, 403, 404, 409]).toContain(status)
        await nothingCameThrough()
      }
    },
  )

  it('a webroot that is a link itself is not followed', async () => {
    await as('/bin/ln', '-sfn', '--', foreign, `${owner.home}/elsewhere`)
    const { status } = await provision({ webroot: `${owner.home}/elsewhere` })
    expect([400, 403, 404, 409]).toContain(status)
    await nothingCameThrough()
  })

  it('a file of the tenant in the way keeps nobody waiting', async () => {
    await as('/bin/mkdir', '--', `${webroot()}/.well-known`)
    await as('/usr/bin/mkfifo', '--', `${webroot()}/.well-known/acme-challenge`)
    const { status } = await provision({ webroot: webroot() })
    expect([400, 403, 404, 409]).toContain(status)
    await nothingCameThrough()
  })
})

describe('challenges of the authority', () => {
  it('are answered to nobody who does not know the token', async () => {
    const { status } = await fixture.web.control('POST', '/challenges', {
      put: [{ token: 'known-token', content: 'known-token.thumb' }],
      remove: [],
    })
    expect(status).toBe(200)
    const ask = async (path: string): Promise<string> => {
      const response = await fetch(`http://127.0.0.1:${fixture.web.port}${path}`, {
        headers: { host: owner.domain },
      })
      return `${response.status} ${(await response.text()).slice(0, 40)}`
    }
    const base = '/.well-known/acme-challenge'
    expect(await ask(`${base}/known-token`)).toBe('200 known-token.thumb')
    for (const other of ['', '/', '/known', '/known-token/x', '/%6bnown-token', '/../known-token'])
      expect(await ask(`${base}${other}`)).not.toContain('thumb')
    for (const bad of [
      { put: [{ token: '../x', content: 'y' }], remove: [] },
      { put: [{ token: 'x', content: 'y\r\nSet-Cookie: a=b' }], remove: [] },
      { put: [{ token: 'x', content: '<script>' }], remove: [] },
      { put: 'x' },
      null,
    ])
      expect((await fixture.web.control('POST', '/challenges', bad)).status).toBe(400)
    await fixture.web.control('POST', '/challenges', { put: [], remove: ['known-token'] })
    expect(await ask(`${base}/known-token`)).toMatch(/^404/)
  })
})
