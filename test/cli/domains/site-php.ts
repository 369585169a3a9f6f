import { afterAll, beforeAll, expect, test } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from '../support/run-berth.ts'

const NAMES = ['memory_limit', 'date.timezone', 'upload_max_filesize', 'max_input_vars']
const SCRIPT = `<?php
header('Cache-Control: no-store');
if (isset($_GET['set'])) { ini_set('date.timezone', 'Asia/Tokyo'); ini_set('memory_limit', '99M'); }
if ($_SERVER['REQUEST_METHOD'] === 'POST') die((string) strlen(file_get_contents('php://input')));
echo implode(' ', array_map('ini_get', ['${NAMES.join("','")}']));`

let alice: Tenant
let berth: Berth
let second: string

beforeAll(async () => {
  alice = await Tenant.create(panel)
  second = `second.${alice.domain}`
  berth = new Berth('--config', instance.config.file)
  await panel.data('POST', '/api/domains', {
    account_id: alice.id,
    domain_name: second,
    domain_type: 'subdomain',
    document_root: alice.path('second'),
  })
  for (const root of ['public_html', 'second']) await alice.put(`${root}/ini.php`, SCRIPT)
})
afterAll(() => berth?.remove())

const ask = async (host: string, path = '/ini.php') => (await instance.site(host, path)).text

test.each(['fpm', 'cgi'])(
  'what is chosen for one site never reaches a request of another one (%s)',
  async (mode) => {
    await panel.data('POST', `/api/php/version/${alice.id}`, { version: '8.2', mode })
    await berth.ok('site set', [
      alice.domain,
      ...['--php', 'memory_limit=77M', '--php', 'date.timezone=Europe/Vienna'],
      ...['--php', 'upload_max_filesize=7M', '--php', 'max_input_vars=777'],
    ])
    await berth.ok('site set', [second, '--php', 'memory_limit=55M'])
    const own = '77M Europe/Vienna 7M 777'
    const other = await ask(second)
    expect([await ask(alice.domain), other]).toEqual([
      own,
      expect.stringMatching(/^55M \S* ?256M 1000$/),
    ])
    const kept = Array.from({ length: 4 }, () => [
      instance.keepAlive(alice.domain),
      instance.keepAlive(second),
    ])
    const answers = await Promise.all(
      kept.flatMap((pair) =>
        pair.map(async (connection, at) => {
          const wrong: string[] = []
          for (let round = 0; round < 25; round++) {
            const set = (round + at) % 3 === 0
            const { text } = await connection.get(set ? '/ini.php?set=1' : '/ini.php')
            if (!set && text !== (at === 0 ? own : other)) wrong.push(text)
          }
          return wrong
        }),
      ),
    )
    for (const pair of kept) for (const connection of pair) connection.close()
    expect(answers.flat()).toEqual([])
  },
)

test('a body is taken up to what the site chose, and values are shown with who said so', async () => {
  await berth.ok('site set', [alice.domain, '--php', 'post_max_size=1M'])
  const post = (host: string, bytes: number) =>
    instance.site(host, '/ini.php', { method: 'POST', body: Buffer.alloc(bytes) })
  expect((await post(alice.domain, 2 ** 20)).text).toBe(String(2 ** 20))
  expect((await post(alice.domain, 2 ** 20 + 1)).status).toBe(413)
  expect((await post(second, 2 ** 20 + 1)).text).toBe(String(2 ** 20 + 1))
  await alice.put('public_html/.user.ini', 'max_input_vars = 888\n')
  const shown = await berth.ok('site php', [alice.domain])
  for (const line of [
    /memory_limit +77M \(domain\)/,
    /max_input_vars +888 \(\.user\.ini\)/,
    /display_errors +0 \(server\)/,
    /short_open_tag +\S+ \(php\.ini\)/,
    /extensions +.*json/,
  ])
    expect(shown).toMatch(line)
  const odd = await berth.run('site set', [alice.domain, '--php', 'open_basedir=/'])
  expect([odd.code, odd.stderr]).toEqual([1, expect.stringContaining('cannot be chosen')])
  const much = await berth.run('site set', [alice.domain, '--php', 'memory_limit=1G'])
  expect([much.code, much.stderr]).toEqual([1, expect.stringContaining('at most 512M')])
  await berth.ok('site set', [alice.domain, ...NAMES.flatMap((name) => ['--php', `${name}=`])])
  expect(await ask(alice.domain)).not.toContain('77M')
})
