import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { smallCore, zipOf } from '#test/support/small-core.ts'
import { Berth } from '#test/cli/support/run-berth.ts'
import { wordpressTree } from '../support/wordpress-tree.ts'

const tree = await wordpressTree()
const work = await mkdtemp(join(tmpdir(), 'berth-cores-'))
const placed = join(work, 'placed')
const username = randomUsername()
const domain = `${username}.example.com`
const versionFile = await readFile(join(tree, 'wp-includes/version.php'), 'utf8')
const newest = /\$wp_version = '([^']+)'/.exec(versionFile)?.[1] ?? ''
const OLD = '6.0.1'
let accountId = 0
let berth: Berth

interface Source {
  version: string
  localised: string | null
  source: string
}

/** Debian's WordPress as an archive, as another version or for one language. */
const archive = async (version: string, locale?: string): Promise<string> => {
  const name = `wordpress-${version}${locale === undefined ? '' : `-${locale}`}`
  const made = join(work, name)
  await cp(tree, join(made, 'wordpress'), { recursive: true })
  const text = versionFile.replace(`'${newest}'`, `'${version}'`)
  const local = locale === undefined ? '' : `\n$wp_local_package = '${locale}';\n`
  await writeFile(join(made, 'wordpress/wp-includes/version.php'), text + local)
  const languages = join(made, 'wordpress/wp-content/languages')
  await mkdir(languages, { recursive: true })
  if (locale !== undefined) await writeFile(join(languages, `${locale}.mo`), '')
  const file = join(work, `${name}.tar.gz`)
  await mustRun('tar', ['--use-compress-program=gzip -1', '-cf', file, '-C', made, 'wordpress'])
  await rm(made, { recursive: true })
  return file
}
const sources = () => panel.data<Source[]>('GET', '/api/wordpress/sources')
const found = async () =>
  (await panel.data<{ version: string; newest: string }[]>('GET', `/api/wordpress/${accountId}`))[0]
const integrity = () => panel.data('GET', `/api/wordpress/${accountId}/integrity?path=public_html`)

shareInstance({
  append: `[wordpress]\nofficial = false\nsources = []\ncores = [${JSON.stringify(placed)}]`,
})
beforeAll(async () => {
  await mkdir(placed)
  berth = new Berth('--config', instance.config.file)
})
afterAll(async () => {
  berth?.remove()
  await rm(work, { recursive: true, force: true })
})

test('archives are there for sites once they are placed, or added', async () => {
  expect(await sources()).toEqual([])
  const old = await archive(OLD, 'de_DE')
  await cp(old, join(placed, `wordpress-${OLD}-de_DE.tar.gz`))
  await writeFile(join(placed, 'wordpress-9.9.zip'), zipOf(smallCore('9.8')))
  expect(await sources()).toEqual([
    { version: OLD, localised: 'de_DE', locales: ['de_DE'], source: 'archive' },
  ])
  const listed = await berth.json<{ refused: { problem: string }[] }>('wordpress core list')
  expect(listed).toMatchObject({
    cores: [{ name: `${OLD}-de_DE` }],
    refused: [{ problem: expect.stringContaining('should hold 9.9') }],
  })
  const current = await archive(newest)
  const sum = createHash('sha256')
    .update(await readFile(current))
    .digest('hex')
  const wrong = await berth.run('wordpress core add', [current, '--sha256', '0'.repeat(64)])
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining(sum)])
  expect(await berth.ok('wordpress core add', [current, '--sha256', sum])).toContain(newest)
  expect((await sources()).map(({ version, source }) => [version, source])).toEqual([
    [newest, 'archive'],
    [OLD, 'archive'],
  ])
})

test('one for a language makes sites of that language, and no others', async () => {
  const account = await panel.data<{ id: number }>('POST', '/api/accounts', {
    ...{ username, domain, password: `Pw-${username}-8x`, plan: 'pro' },
    email: `${username}@example.com`,
  })
  accountId = account.id
  const site = { domain, title: 'Hafen', admin_user: 'chief', admin_email: 'chief@example.com' }
  const order = { ...site, admin_password: 'a long password', version: OLD }
  const english = await panel.call('POST', `/api/wordpress/${accountId}`, order)
  expect([english.status, english.body.error]).toEqual([400, expect.stringContaining('de_DE')])
  expect(
    await panel.data('POST', `/api/wordpress/${accountId}`, { ...order, locale: 'de_DE' }),
  ).toMatchObject({ version: OLD })
  const front = await instance.site(domain, '/')
  expect([front.status, front.text]).toEqual([200, expect.stringContaining('lang="de-DE"')])
  expect(await integrity()).toMatchObject({ changed: [], missing: [], added: [] })
})

test('a site is updated to one for everybody, and compared with it', async () => {
  expect(await found()).toMatchObject({ version: OLD, newest })
  const updated = await panel.data('POST', `/api/wordpress/${accountId}/update`, {
    path: 'public_html',
    version: newest,
  })
  expect(updated).toMatchObject({ from: OLD, to: newest })
  expect((await instance.site(domain, '/')).status).toBe(200)
  expect(await integrity()).toMatchObject({ changed: [], missing: [], added: [] })
})

test('what is removed is offered no more, and sites keep it', async () => {
  const bound = await berth.run('wordpress core remove', [`${OLD}-de_DE`])
  expect([bound.code, bound.stderr]).toEqual([1, expect.stringContaining('remove that file')])
  await rm(join(placed, `wordpress-${OLD}-de_DE.tar.gz`))
  await berth.ok('wordpress core remove', [newest])
  expect(await sources()).toEqual([])
  expect((await instance.site(domain, '/')).status).toBe(200)
})
