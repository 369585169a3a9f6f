import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { surveyArchive } from '#adapters/node/agent/foreign-archives/survey-archive.ts'
import { toAccountRecord } from '#adapters/node/agent/foreign-archives/to-account-record.ts'
import { takeDumps } from '#adapters/node/agent/foreign-archives/take-dumps.ts'
import { walkHome } from '#adapters/node/agent/foreign-archives/walk-home.ts'
import type {
  ForeignAccount,
  ForeignDatabase,
} from '#handlers/domain/foreign-archives/foreign-account.ts'
import { readForeignArchive } from '#handlers/domain/foreign-archives/foreign-archives.ts'
import { DUMP_END, NATIVE_HASH, PAGE } from '#test/support/foreign-archives/account-of.ts'
import { cpanelArchive } from '#test/support/foreign-archives/cpanel-archive.ts'
import { directadminArchive } from '#test/support/foreign-archives/directadmin-archive.ts'
import { hestiaArchive } from '#test/support/foreign-archives/hestia-archive.ts'
import { tarOf } from '#test/support/foreign-archives/tar-of.ts'
import { readFileSync } from 'node:fs'

const directory = mkdtempSync(join(tmpdir(), 'berth-foreign-'))
afterAll(() => rmSync(directory, { recursive: true }))

const pem = (label: string, text: string): string =>
  `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`
const certificate = {
  key: pem('PRIVATE KEY', 'key'),
  certificate: pem('CERTIFICATE', 'own'),
  chain: pem('CERTIFICATE', 'issuer'),
}
const owner = { username: 'shop', certificate }
const limits = { maxEntries: 10_000, maxBytes: 2 ** 24 }

let files = 0
const written = (bytes: Buffer): string => {
  const file = join(directory, `archive-${files++}`)
  writeFileSync(file, bytes)
  return file
}

const readArchive = async (bytes: Buffer) => {
  const file = written(bytes)
  const account = readForeignArchive(await surveyArchive(file, limits))
  if (account === null) throw new Error('The archive is of no known panel.')
  return { file, account }
}

/** Names of what the home gets, with the texts of files, targets of links, and modes of folders. */
const homeOf = async (file: string, account: ForeignAccount, home = '/home/shop') => {
  const members: Record<string, string> = {}
  const skipped: Record<string, string> = {}
  await walkHome({
    ...{ file, account, home, limits },
    onSkipped: (name, why) => (skipped[name] = why),
    async visit(entry, content) {
      const chunks: Buffer[] = []
      for await (const chunk of content) chunks.push(chunk)
      members[entry.name] =
        entry.type === 'file'
          ? Buffer.concat(chunks).toString()
          : entry.type === 'symlink'
            ? `-> ${entry.link}`
            : entry.mode.toString(8)
    },
  })
  return { members, skipped }
}

const subjects = ({ report }: ForeignAccount, what: string): string[] =>
  report.filter((line) => line.what === what).map(({ subject }) => subject)

const NO_POSTGRESQL = { plainDump: () => null, onRefused: () => undefined }

describe('an archive of HestiaCP', async () => {
  const { file, account } = await readArchive(await hestiaArchive(owner))

  it('tells account, domains and databases', () => {
    expect(account).toMatchObject({
      ...{ panel: 'hestia', username: 'shop', uid: 1007, home: '/home/shop', suspended: false },
      ...{ email: 'owner@shop.example', primaryDomain: 'shop.example' },
    })
    expect(account.domains).toEqual([
      {
        ...{ name: 'shop.example', aliases: ['www.shop.example', 'shop-alias.example'] },
        ...{ root: 'web/shop.example/public_html', phpVersion: '8.2', certificate },
        ...{ redirectHttps: true, hsts: false },
      },
      {
        ...{ name: 'blog.example', aliases: [], root: 'web/shop.example/public_html/blog' },
        ...{ phpVersion: null, certificate: null, redirectHttps: false, hsts: false },
      },
    ])
    expect(account.databases).toMatchObject([
      {
        ...{ engine: 'mariadb', name: 'shop_shop', form: 'sql', compression: 'zstd' },
        users: [{ name: 'shop_shop', hash: { kind: 'mysql_native_password', text: NATIVE_HASH } }],
      },
    ])
  })

  it('says what is changed and what is left', () => {
    expect(subjects(account, 'changed')).toEqual(['domain blog.example', 'cron jobs'])
    expect(subjects(account, 'left')).toEqual([
      'web/shop.example/conf/nginx.conf_own',
      'redirect of blog.example',
      'domain outside.example',
      'cron job 61 3 * * * false',
      "cron line JOB='4' CMD='no time'",
      'cron job 5 3 * * * sudo /usr/local/hestia/bin/v-update-sys-queue backup',
      'DNS zone shop.example',
      'mail of shop.example',
      'password of the account',
    ])
  })

  it('tells cron jobs with what cron makes of them', () => {
    const job = { schedule: '5 3 * * *', timeZone: null }
    expect(account.cron).toEqual([
      { ...job, command: "php /home/shop/cron.php 'a'", enabled: true },
      { ...job, command: 'date +%F > day', enabled: false },
    ])
  })

  it('brings the home together from its inner archives', async () => {
    const { members, skipped } = await homeOf(file, account)
    expect(members).toEqual({
      'web/shop.example/public_html': '755',
      'web/shop.example/public_html/index.php': PAGE,
      'web/shop.example/public_html/old': '-> /home/shop/web/shop.example/private',
      'web/shop.example/private': '750',
      'web/shop.example/private/key.txt': 'kept',
      'web/blog.example/public_html/index.html': 'blog',
      '.wp-cli/config.yml': 'path: web',
    })
    expect(Object.keys(skipped)).toEqual(['web/shop.example/public_html/out'])
  })

  it('lets absolute links follow a home of another name', async () => {
    const { members } = await homeOf(file, account, '/home/store')
    expect(members['web/shop.example/public_html/old']).toBe(
      '-> /home/store/web/shop.example/private',
    )
  })

  it('gives dumps that every client reads', async () => {
    const dumps = await takeDumps({
      ...{ file, databases: account.databases, directory, limits },
      nameOf: () => 'hestia.sql',
      ...NO_POSTGRESQL,
    })
    expect(dumps).toHaveLength(1)
    const text = readFileSync(join(directory, 'hestia.sql'), 'utf8')
    expect(text).toMatch(/^-- MariaDB dump/)
    expect(text.endsWith(DUMP_END)).toBe(true)
  })
})

describe.each([{ inner: false }, { inner: true }])(
  'an archive of cPanel (home in an archive of its own: $inner)',
  async (how) => {
    const { file, account } = await readArchive(await cpanelArchive(owner, how))

    it('tells account, domains and databases', () => {
      expect(account).toMatchObject({
        ...{ panel: 'cpanel', username: 'shop', home: '/home1/shop', suspended: false },
        ...{ email: 'owner@shop.example', primaryDomain: 'shop.example' },
      })
      expect(account.domains).toMatchObject([
        {
          ...{ name: 'shop.example', aliases: ['www.shop.example', 'shop-alias.example'] },
          ...{ root: 'public_html', phpVersion: '8.2', certificate },
        },
        { name: 'blog.example', aliases: ['www.blog.example'], root: 'public_html/addon' },
        { name: 'dev.shop.example', aliases: [], root: 'public_html/dev', phpVersion: '5.6' },
      ])
      expect(account.databases).toMatchObject([
        {
          ...{ name: 'shop_shop', charset: 'utf8mb4', collation: 'utf8mb4_unicode_ci' },
          users: [
            { name: 'shop', hash: { kind: 'none' }, privileges: ['ALL PRIVILEGES'] },
            {
              ...{ name: 'shop_wp', privileges: ['SELECT', 'INSERT'] },
              hash: { kind: 'mysql_native_password', text: NATIVE_HASH },
            },
          ],
        },
      ])
    })

    it('says what is changed and what is left', () => {
      expect(subjects(account, 'changed')).toEqual([
        'cron job 5 * * * * /usr/local/bin/ea-php82 /home1/shop/cron.php --home=/home1/shop >/dev/null 2>&1',
        'cron jobs',
      ])
      expect(subjects(account, 'left')).toEqual([
        'cron setting MAILTO="owner@shop.example"',
        'cron setting SHELL="/bin/bash"',
        'cron job @reboot start-daemon',
        'cron job 0 0 * * * mail -s "100%" owner',
        'cron line five words are no job',
        'cron table backup-11.1.2026_03-00-00_shop/cron/root',
        ...['DNS zones', 'mail addresses and forwarders'],
        'password of the account',
      ])
    })

    it('tells cron jobs, run by the PHP of the account', () => {
      expect(account.cron).toEqual([
        {
          ...{ schedule: '5 * * * *', timeZone: null, enabled: true },
          command: 'php /home1/shop/cron.php --home=/home1/shop >/dev/null 2>&1',
        },
        {
          ...{ schedule: '@daily', timeZone: 'Europe/Berlin', enabled: true },
          command: 'curl -s https://shop.example/cron',
        },
      ])
    })

    it('gives the home without what is the other panel’s own', async () => {
      const { members, skipped } = await homeOf(file, account)
      expect(members).toEqual({
        public_html: '755',
        'public_html/index.php': PAGE,
        'public_html/wp-config.php': "<?php define('WPCACHEHOME', '/home1/shop/public_html/');",
        'public_html/addon': '755',
        'public_html/addon/index.html': 'addon',
        www: '-> public_html',
        'etc/shop.example/passwd': 'info:x:1:1::/:/\n',
      })
      expect(Object.keys(skipped)).toEqual(['public_html/copy.php'])
    })
  },
)

describe('an archive of DirectAdmin', async () => {
  const { file, account } = await readArchive(await directadminArchive(owner))

  it('tells account, domains and databases', () => {
    expect(account).toMatchObject({
      ...{ panel: 'directadmin', username: 'shop', suspended: true },
      ...{ email: 'owner@shop.example', primaryDomain: 'shop.example' },
    })
    expect(account.domains).toMatchObject([
      {
        ...{ name: 'shop.example', aliases: ['shop-alias.example'], redirectHttps: true },
        ...{ root: 'domains/shop.example/public_html', certificate },
      },
      { name: 'blog.example', aliases: [], root: 'domains/blog.example/public_html' },
      { name: 'dev.shop.example', root: 'domains/shop.example/public_html/dev' },
    ])
    expect(account.databases).toMatchObject([
      {
        ...{ name: 'shop_shop', collation: 'utf8mb4_general_ci' },
        users: [{ name: 'shop_shop', hash: { text: NATIVE_HASH } }],
      },
    ])
  })

  it('says what is left', () => {
    expect(subjects(account, 'left')).toEqual([
      ...['mail of shop.example', 'pointer old-shop.example'],
      'cron job 0 0 30 2 * never',
      'cron setting MAILTO=owner@shop.example',
      'cron setting PATH=/usr/bin',
      'password of the account',
    ])
  })

  it('tells cron jobs without their numbers', () => {
    expect(account.cron).toMatchObject([{ schedule: '5 * * * *', command: 'php cron.php' }])
  })

  it('gives the home from both of its places', async () => {
    const { members } = await homeOf(file, account)
    expect(members).toMatchObject({
      'domains/shop.example/public_html/index.php': PAGE,
      'domains/shop.example/private_html': '-> ./public_html',
      'domains/blog.example/public_html/index.html': 'blog',
      '.bashrc': 'alias ll=ls\n',
    })
  })
})

describe('hostile archives', () => {
  it('whose dumps are small and together larger than is allowed are 413', async () => {
    const dump = zstdCompressSync(Buffer.alloc(2 ** 20))
    const file = written(await tarOf({ 'a.zst': dump, 'b.zst': dump }))
    const databases = ['a', 'b'].map((name) => ({
      ...{ engine: 'mariadb', name, dump: `${name}.zst`, compression: 'zstd', form: 'sql' },
      ...{ charset: null, collation: null, users: [] },
    })) as ForeignDatabase[]
    const take = (maxBytes: number, room: string) =>
      takeDumps({
        ...{ file, databases, directory, limits: { maxEntries: 10, maxBytes } },
        nameOf: ({ name }) => `${room}-${name}`,
        ...NO_POSTGRESQL,
      })
    await expect(take(1.5 * 2 ** 20, 'small')).rejects.toMatchObject({ status: 413 })
    await expect(take(2 * 2 ** 20, 'large')).resolves.toHaveLength(2)
  })

  it('of thousands of sites are read in one pass', { timeout: 20_000 }, async () => {
    const names = Array.from({ length: 20_000 }, (_, n) => `n${n}.example`)
    const texts = new Map(
      names.flatMap((name): [string, string][] => [
        [`web/${name}/hestia/web.conf`, `DOMAIN='${name}' ALIAS='www.${name},a.${name}'`],
        [`backup/${name}/domain.conf`, `domain=${name}\n`],
      ]),
    )
    texts.set('hestia/user.conf', "NAME='shop'")
    const account = readForeignArchive({ names: [...texts.keys()], texts })
    expect(account?.domains).toHaveLength(20_000)
    if (account !== null) expect(toAccountRecord(account, '').domains).toHaveLength(40_000)
    texts.delete('hestia/user.conf')
    texts.set('backup/user.conf', 'username=shop\n')
    expect(readForeignArchive({ names: [...texts.keys()], texts })?.domains).toHaveLength(20_000)
  })

  it('of thousands of cron jobs are cut short', { timeout: 20_000 }, () => {
    const lines = (line: string) => Array.from({ length: 5000 }, () => line).join('\n')
    for (const [line, jobs] of [
      ['* * * * * true', 200],
      ['0 0 30 2 * never', 0],
      ['A=b', 0],
      ['x', 0],
    ] as const) {
      const texts = new Map([
        ['backup/user.conf', 'username=shop\n'],
        ['backup/crontab.conf', lines(line)],
      ])
      const account = readForeignArchive({ names: [], texts })
      expect(account?.cron).toHaveLength(jobs)
      expect(account?.report.length).toBeLessThan(210)
      expect(account?.report.map(({ subject }) => subject).join()).toMatch(/\d+ more lines/)
    }
  })

  it('of no known panel are told', async () => {
    const file = written(await tarOf({ 'a/b': 'c' }))
    expect(readForeignArchive(await surveyArchive(file, limits))).toBeNull()
  })

  it('that are damaged are 409', async () => {
    const whole = await cpanelArchive(owner)
    const cut = written(whole.subarray(0, whole.length / 2))
    await expect(surveyArchive(cut, limits)).rejects.toMatchObject({ status: 409 })
  })

  it('whose inner archives hold more than is allowed are 413', async () => {
    const { file, account } = await readArchive(await cpanelArchive(owner, { inner: true }))
    const walk = (maxEntries: number) =>
      walkHome({
        ...{ file, account, home: '/home/shop', onSkipped: () => undefined },
        limits: { ...limits, maxEntries },
        visit: () => Promise.resolve(),
      })
    await expect(walk(25)).rejects.toMatchObject({ status: 413 })
    await expect(walk(1000)).resolves.toBeUndefined()
  })

  it.each([
    ['../up', 'text'],
    ['/etc/passwd', 'text'],
    ['a/../../up', 'text'],
    ['link', { link: '/etc' }],
    ['link', { link: '../../root' }],
    ['link', { link: '/home/shopkeeper/file' }],
  ])('get nothing out of the home: %s', async (name, member) => {
    const { file, account } = await readArchive(
      await tarOf({
        'top/cp/shop': 'USER=shop\n',
        'top/userdata/main': 'main_domain: shop.example\n',
        [`top/homedir/${name}`]: member,
        'top/homedir/link/below': 'text',
      }),
    )
    const { members } = await homeOf(file, account)
    for (const path of Object.keys(members)) {
      expect(path).not.toMatch(/^\/|(?:^|\/)\.\.(?:\/|$)/)
      expect(members[path]).not.toMatch(/^->/)
    }
  })

  it('whose descriptions are bombs are read as far as they are plain', async () => {
    const anchors = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
      .split('')
      .map((name, i) => `${name}: &${name} [*${'abcdefgh'[i]},*${'abcdefgh'[i]},*${'abcdefgh'[i]}]`)
      .join('\n')}\nmain_domain: shop.example\n`
    const { account } = await readArchive(
      await tarOf({ 'cp/shop': '', 'userdata/main': anchors, 'homedir/': null }),
    )
    expect(account.domains).toEqual([])
  })
})
