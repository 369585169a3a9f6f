import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { findSuspicions, loadPlacedConfig } from '#adapters/node/config/find-suspicions.ts'
import { get } from './support/get.ts'
import { H2Client } from './support/h2-client.ts'
import { siteToml } from './support/static-web.ts'
import { shareWeb, web } from './support/shared-web.ts'

const PANEL = 'panel.test'

shareWeb({ more: `[panel]\ntls = "${PANEL}"` })
beforeAll(async () => {
  writeFileSync(join(web.directory, 'state/index.html'), '<p>a page</p>')
  web.writeHosts('a', siteToml(web, 'a.test'))
  web.writeHosts('panel', siteToml(web, PANEL))
  expect((await web.control('POST', '/reload')).status).toBe(200)
})

describe('a site of the panel’s name', () => {
  test('is served to nobody, in no spelling and over no protocol', async () => {
    expect((await get(web.port, 'a.test', '/')).body).toContain('a page')
    for (const host of [
      PANEL,
      'PANEL.test',
      `${PANEL}.`,
      `${PANEL}:${web.port}`,
      `${PANEL}:7070`,
    ]) {
      const { status, body } = await get(web.port, host, '/')
      expect([host, status]).toEqual([host, 404])
      expect(body).not.toContain('a page')
    }
    const client = await H2Client.open(web.sslPort, PANEL)
    expect((await client.get('/')).body).not.toContain('a page')
    client.close()
  })

  test('is told of by the check of the configuration', async () => {
    const loaded = await loadPlacedConfig(join(web.directory, 'berth.toml'))
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
    const found = await findSuspicions(loaded)
    const told = found.filter(({ message }) => message.includes(PANEL))
    expect(told).toEqual([
      expect.objectContaining({ file: join(web.directory, 'state/vhosts.d/panel.toml') }),
    ])
  })
})

describe('a bare address of the machine', () => {
  const addresses = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .map(({ address, family }) => (family === 'IPv6' ? `[${address.split('%')[0]}]` : address))

  test.each(['127.0.0.1', '[::1]', '2130706433', '0x7f000001', ...addresses])(
    '%s is no site',
    async (host) => {
      const { status, body } = await get(web.port, host, '/')
      expect([400, 404]).toContain(status)
      expect(body).not.toContain('a page')
    },
  )

  test('can be no name of a site', async () => {
    web.writeHosts('bare', siteToml(web, '127.0.0.1'))
    const { status, body } = await web.control('POST', '/reload')
    expect(status).toBe(422)
    expect(JSON.stringify(body)).toContain('No site answers at a bare address')
    web.removeHosts('bare')
    expect((await web.control('POST', '/reload')).status).toBe(200)
  })
})
