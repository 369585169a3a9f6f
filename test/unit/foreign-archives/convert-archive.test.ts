import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readArchive } from '#adapters/node/agent/backups/archive-file.ts'
import { readManifest } from '#adapters/node/agent/backups/manifest.ts'
import { createArchiveKeys } from '#adapters/node/agent/backups/records/archive-keys.ts'
import { SEALED, unsealSecrets } from '#adapters/node/agent/backups/records/secrets.ts'
import { convertArchive } from '#adapters/node/agent/foreign-archives/convert-archive.ts'
import { checkRecord } from '#handlers/panel/backups/check-record.ts'
import { NATIVE_HASH, PAGE } from '#test/support/foreign-archives/account-of.ts'
import { cpanelArchive } from '#test/support/foreign-archives/cpanel-archive.ts'
import { directadminArchive } from '#test/support/foreign-archives/directadmin-archive.ts'
import { hestiaArchive } from '#test/support/foreign-archives/hestia-archive.ts'
import { tarOf } from '#test/support/foreign-archives/tar-of.ts'

const directory = mkdtempSync(join(tmpdir(), 'berth-convert-'))
afterAll(() => rmSync(directory, { recursive: true }))

const limits = { maxEntries: 10_000, maxBytes: 2 ** 24 }
const pem = (label: string, text: string): string =>
  `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`
const certificate = {
  key: pem('PRIVATE KEY', 'key'),
  certificate: pem('CERTIFICATE', 'own'),
  chain: pem('CERTIFICATE', 'issuer'),
}

let works = 0
const convert = async (bytes: Buffer) => {
  const work = join(directory, `work-${works++}`)
  mkdirSync(work)
  const file = join(work, 'foreign')
  writeFileSync(file, bytes)
  const key = await createArchiveKeys(join(directory, 'keys')).own()
  const converted = await convertArchive({
    ...{ file, directory: work, homeBase: '/home', limits, key },
    nowMs: Date.UTC(2026, 10, 1),
    onHome: () => undefined,
    plainDump: () => null,
  })
  const members = new Map<string, Buffer>()
  await readArchive(converted.file, limits, async (entry, content) => {
    const chunks: Buffer[] = []
    for await (const chunk of content) chunks.push(chunk)
    members.set(entry.name, Buffer.concat(chunks))
  })
  const manifest = readManifest(members.get('manifest.json')?.toString() ?? '')
  const sealed = members.get(SEALED) ?? Buffer.alloc(0)
  const secrets = unsealSecrets(sealed, manifest.sealed?.iv ?? '', key)
  return { ...converted, members, manifest, secrets }
}

describe.each([
  ['HestiaCP', hestiaArchive, 'home/web/shop.example/public_html/index.php'],
  ['cPanel', cpanelArchive, 'home/public_html/index.php'],
  ['DirectAdmin', directadminArchive, 'home/domains/shop.example/public_html/index.php'],
])('an archive of %s', (panel, archive, page) => {
  it('becomes one of ours, with home, dumps, hashes and sealed keys', async () => {
    const { manifest, members, secrets } = await convert(
      await archive({ username: 'shop', certificate }),
    )
    expect(manifest).toMatchObject({
      ...{ version: 2, username: 'shop', made_by: panel, home: '/home/shop' },
      record: { account: { primary_domain: 'shop.example', email: 'owner@shop.example' } },
    })
    expect(manifest.databases).toMatchObject([
      { engine: 'mariadb', database: 'shop_shop', password_hash: NATIVE_HASH },
    ])
    expect(members.get('databases/mariadb-shop_shop.sql')?.toString()).toMatch(/^-- MariaDB dump/)
    expect(members.get(page)?.toString()).toBe(PAGE)
    expect(members.get('certificates/shop.example.pem')?.toString()).toBe(
      certificate.certificate + certificate.chain,
    )
    expect(secrets.certificate_keys).toEqual({ 'shop.example': certificate.key })
    const jobs = manifest.record?.cron ?? []
    expect(jobs.length).toBeGreaterThan(0)
    expect(jobs.map(({ command }) => command).join()).not.toContain('/home1/')
    expect(
      manifest.record && (await checkRecord(manifest.record, { plan: 'gold' })),
    ).toBeUndefined()
    const aliases = manifest.record?.domains.filter(({ domain_type }) => domain_type === 'alias')
    expect(aliases?.map(({ domain_name }) => domain_name)).toEqual(['shop-alias.example'])
  })

  it('follows an account whose name cannot be one here', async () => {
    const { manifest, report } = await convert(await archive({ username: 'My-Shop', certificate }))
    expect(manifest.username).toBe('myshop')
    expect(manifest.databases.map(({ database }) => database)).toEqual(['myshop_shop'])
    const changed = report.filter(({ what }) => what === 'changed').map(({ subject }) => subject)
    expect(changed).toContain('account My-Shop')
    expect(changed).toContain('database My-Shop_shop')
  })
})

it.each([
  ['known', NATIVE_HASH, NATIVE_HASH, []],
  ['not known', '0123456789abcdef', null, ['database user shop_wp']],
])(
  'gives a database of cPanel the user that its site uses, whose password is %s, not that of the account',
  async (_how, hash, kept, told) => {
    const { manifest, report } = await convert(
      await cpanelArchive({ username: 'shop', hash, certificate }, { ownHash: NATIVE_HASH }),
    )
    expect(manifest.databases).toMatchObject([{ user: 'shop_wp', password_hash: kept }])
    const lines = (sort: string) =>
      report
        .filter(({ what, subject }) => what === sort && subject.startsWith('database user'))
        .map(({ subject }) => subject)
    expect(lines('changed')).toEqual(told)
    expect(lines('left')).toEqual(['database user shop'])
  },
)

it('takes no archive of a panel that it does not know', async () => {
  await expect(convert(await tarOf({ 'a/b': 'c' }))).rejects.toMatchObject({ status: 409 })
})
