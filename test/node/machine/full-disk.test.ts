import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'

interface Doctor {
  clean: boolean
  findings: { kind: string; level: string; subject: string; what: string; fix: string }[]
}

let mount: string
let instance: Instance
let panel: PanelClient
let alice: Tenant

beforeAll(async () => {
  mount = mkdtempSync(join(tmpdir(), 'bfd-'))
  // Everything of the instance lies on a disk of its own, large enough for it and no more.
  await mustRun('mount', ['-t', 'tmpfs', '-o', 'size=700m,mode=755', 'tmpfs', mount])
  instance = await startInstance({ parent: mount })
  panel = new PanelClient(instance)
  await panel.setup()
  alice = await Tenant.create(panel)
  await alice.put('public_html/static.html', 'a static page')
  await alice.put('public_html/now.php', '<?php echo "run by PHP";')
})
afterAll(async () => {
  rmSync(join(mount, 'ballast'), { force: true })
  await instance?.stop()
  await mustRun('umount', ['-l', mount])
  rmSync(mount, { recursive: true, force: true })
})

const fill = (): void => {
  const ballast = openSync(join(mount, 'ballast'), 'a')
  try {
    for (const bytes of [2 ** 20, 4096])
      try {
        for (;;) writeSync(ballast, Buffer.alloc(bytes))
      } catch {
        // Full, for pieces of this size.
      }
  } finally {
    closeSync(ballast)
  }
}

const pages = async (): Promise<string[]> =>
  Promise.all(
    ['/static.html', '/now.php', `/now.php?${Math.random()}`].map(async (path) => {
      const { status, text } = await instance.site(alice.domain, path)
      return `${status} ${text}`
    }),
  )
const SERVED = ['200 a static page', '200 run by PHP', '200 run by PHP']

const diskFindings = async () =>
  (await panel.data<Doctor>('GET', '/api/doctor')).findings.filter(({ kind }) => kind === 'disk')

/** What writes, each in another place and by another program. */
const operations = (): [string, string, unknown][] => {
  const { certificate, key } = makeCertificate({ names: [alice.domain] })
  const name = `x${Math.random().toString(36).slice(2, 8)}`
  return [
    [
      'POST',
      '/api/databases',
      { account_id: alice.id, db_name: name, db_password: 'long enough 1', engine: 'mariadb' },
    ],
    [
      'POST',
      '/api/files/write',
      { account_id: alice.id, path: 'public_html/new.txt', content: 'x'.repeat(50_000) },
    ],
    ['POST', `/api/backups/accounts/${alice.id}`, {}],
    [
      'POST',
      '/api/accounts',
      {
        username: name,
        domain: `${name}.example.com`,
        email: 'a@example.com',
        password: 'long enough 1',
        plan: 'free',
      },
    ],
    [
      'POST',
      '/api/domains',
      {
        account_id: alice.id,
        domain_name: `${name}.example.net`,
        domain_type: 'addon',
        document_root: alice.path(name),
      },
    ],
    ['POST', '/api/ssl/upload', { domain: alice.domain, certificate, private_key: key }],
  ]
}

test('before: nothing is wrong with the disk, and pages are served', async () => {
  expect(await pages()).toEqual(SERVED)
  expect(await diskFindings()).toEqual([])
})

test('on a full disk sites are served, the doctor names it with what fills it, and so does whatever fails', async () => {
  fill()
  expect(statfsSync(mount).bavail).toBe(0)
  expect(await pages()).toEqual(SERVED)

  const [found, ...others] = await diskFindings()
  expect(others).toEqual([])
  expect(found).toMatchObject({
    level: 'fault',
    subject: mount,
    what: expect.stringMatching(/^is full: 0 MB of \d+ MB are free$/),
    fix: expect.stringContaining('databases'),
  })

  const outcomes: string[] = []
  for (const [method, path, body] of operations()) {
    fill()
    const { status, body: answer } = await panel.call(method, path, body)
    outcomes.push(`${method} ${path} ${status} ${answer.error ?? 'done'}`)
  }
  const failed = outcomes.filter((line) => !line.endsWith(' done'))
  // What fits into room that a program has kept is done; most does not.
  expect(failed.length, outcomes.join('\n')).toBeGreaterThanOrEqual(3)
  for (const line of failed) expect(line).toMatch(/ (?:413|503) .*disk of this server that holds /)

  fill()
  expect(await pages()).toEqual(SERVED)
})

test('a small disk for backups alone is named by what it holds', async () => {
  rmSync(join(mount, 'ballast'))
  const backups = join(instance.config.paths.state_dir, 'backups')
  await alice.put('large.bin', randomBytes(2 ** 20).toString('hex'))
  await mustRun('mount', ['-t', 'tmpfs', '-o', 'size=300k,mode=700', 'tmpfs', backups])
  try {
    const { status, body } = await panel.call('POST', `/api/backups/accounts/${alice.id}`, {})
    expect([status, body.error]).toEqual([
      503,
      expect.stringContaining('The disk of this server that holds backups is full'),
    ])
    expect(await pages()).toEqual(SERVED)
  } finally {
    await mustRun('umount', ['-l', backups])
  }
})

test('with room again everything works, without a restart', async () => {
  for (const [method, path, body] of operations())
    await expect
      .poll(async () => (await panel.call(method, path, body)).status, { message: path })
      .toBe(200)
  expect(await diskFindings()).toEqual([])
  expect(await pages()).toEqual(SERVED)
})
