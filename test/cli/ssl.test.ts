import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFakeAcmeDns } from '#test/fakes/certificates/fake-acme-dns.ts'
import { startBind9 } from '#test/support/authority/bind9.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { beginResident, Berth, endResident } from './support/run-berth.ts'

let alice: Tenant
let berth: Berth
shareInstance({ authority: true, settings: { ssl: 'allow_local_dns = true' } })
beforeAll(beginResident)
afterAll(endResident)
beforeAll(async () => {
  alice = await Tenant.create(panel)
  berth = new Berth('--config', instance.config.file)
})
afterAll(async () => {
  berth?.remove()
})

test('issue, show, list, renew, renew-due: with an authority', async () => {
  const args = [alice.domain, '--force', '--webroot', alice.path('public_html')]
  expect(await berth.ok('ssl issue', [...args, '--redirect-https'])).toMatch(
    new RegExp(`^${alice.domain} has a certificate until \\d{4}-`),
  )
  expect((await instance.site(alice.domain, '/')).status).toBe(301)
  expect(await berth.ok('ssl list', ['--sort', 'expires_at'])).toMatch(
    /^DOMAIN\s+STATUS[^]*valid\s+\d+/,
  )
  expect(await berth.json('ssl show', [alice.domain])).toMatchObject({ source: 'acme' })
  const { serial } = await berth.json<{ serial: string }>('ssl show', [alice.domain])
  const { job_id: id } = await berth.json<{ job_id: string }>('ssl renew', [
    alice.domain,
    '--no-wait',
  ])
  await berth.ok('jobs follow', [id])
  expect((await berth.json('ssl show', [alice.domain]))['serial']).not.toBe(serial)
  expect(await berth.ok('ssl renew-due')).toBe('0 renewed, 1 not due, 0 failed.\n')
})

test("upload takes a certificate of one's own, and refuses a wrong key", async () => {
  const issuer = makeCertificate({ names: ['root'], authority: true })
  const own = makeCertificate({ names: [alice.domain, `www.${alice.domain}`], issuer })
  const put = (name: string, text: string): string => {
    writeFileSync(join(berth.home, name), text)
    return name
  }
  const files = [
    '--certificate',
    put('own.pem', own.certificate),
    '--chain',
    put('root.pem', issuer.certificate),
  ]
  const wrong = await berth.run('ssl upload', [
    alice.domain,
    ...files,
    '--key',
    put('wrong.key', issuer.key),
  ])
  expect([wrong.code, wrong.stdout]).toEqual([1, ''])
  await berth.ok('ssl upload', [
    alice.domain,
    ...files,
    '--key',
    put('own.key', own.key),
    '--no-redirect-https',
  ])
  expect(await berth.json('ssl show', [alice.domain])).toMatchObject({ source: 'uploaded' })
  const missing = [alice.domain, '--certificate', 'none.pem', '--key', 'own.key']
  expect((await berth.run('ssl upload', missing)).stderr).toContain('none.pem cannot be read')
  expect((await berth.run('ssl delete', [alice.domain])).code).toBe(2)
  await berth.ok('ssl delete', [alice.domain, '--yes'])
  expect((await berth.run('ssl show', [alice.domain])).code).toBe(1)
})

test('what cannot be obtained is said, with exit code 1', async () => {
  const { code, stderr } = await berth.run('ssl issue', ['nobody.example.org'])
  expect([code, stderr]).not.toEqual([1, ''])
  expect((await berth.run('ssl issue')).code).toBe(2)
})

test('an order that is proved by hand tells its records, waits, and is given up', async () => {
  const { records } = await berth.json<{ records: { name: string; value: string }[] }>(
    'ssl-orders begin',
    [alice.domain],
  )
  const shown = await berth.ok('ssl-orders show', [alice.domain])
  for (const { name, value } of records) expect(shown).toContain(`${name}. TXT "${value}"`)
  expect(await berth.ok('ssl-orders list')).toMatch(new RegExp(`${alice.domain}\\s+waiting`))
  const early = await berth.run('ssl-orders finish', [alice.domain])
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('records yet')])
  await berth.ok('ssl-orders remove', [alice.domain])
  expect(await berth.ok('ssl-orders list')).toContain('No order waits')
})

test('an acme-dns is registered at, and the record that leads there is printed', async () => {
  const acmeDns = await createFakeAcmeDns('auth.example')
  try {
    const options = ['--kind', 'acme-dns', '--zone', alice.domain, '--server', acmeDns.url]
    const added = await berth.ok('dns-access add', [alice.username, 'away', ...options])
    const [target = ''] = acmeDns.given.keys()
    expect(added).toContain(`_acme-challenge.${alice.domain}. CNAME ${target}.`)
    expect(await berth.ok('dns-access list', [alice.username])).toContain(target)
    await berth.ok('dns-access remove', [alice.username, 'away', '--yes'])
  } finally {
    await acmeDns.dispose()
  }
})

test('DNS access is added with a key of its zone, listed, and removed', async () => {
  const bind = await startBind9(['berth.example'])
  try {
    writeFileSync(join(berth.home, 'zone.key'), `${bind.secret}\n`)
    const options = (server: string) => [
      ...['--zone', 'berth.example', '--server', server],
      ...['--key-name', bind.keyName, '--secret-file', 'zone.key'],
    ]
    const add = (server: string) =>
      berth.run('dns-access add', [alice.username, 'zone', ...options(server)])
    expect((await add('127.0.0.1:9')).stderr).toContain('does not answer')
    expect((await add(bind.address)).code).toBe(0)
    const listed = await berth.ok('dns-access list', [alice.username])
    expect(listed).toMatch(new RegExp(`zone\\s+berth\\.example\\s+${bind.address}`))
    expect(listed).not.toContain(bind.secret)
    const update = (...more: string[]) =>
      berth.run('dns-access update', [alice.username, 'zone', ...more])
    expect((await update()).code).toBe(2)
    expect((await update('--server', '127.0.0.1:9')).stderr).toContain('does not answer')
    expect((await update('--secret-file', 'zone.key')).code).toBe(0)
    const args = [alice.domain, '--challenge', 'dns-01']
    expect((await berth.run('ssl issue', args)).stderr).toContain('No DNS access covers')
    expect((await berth.run('dns-access remove', [alice.username, 'zone'])).code).toBe(2)
    await berth.ok('dns-access remove', [alice.username, 'zone', '--yes'])
    expect(await berth.ok('dns-access list', ['panel'])).toContain('There is no DNS access')
  } finally {
    await bind.stop()
  }
})
