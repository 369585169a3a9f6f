import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type { Header } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { openFile, uploadFile } from '#handlers/services/files/transfer.ts'
import { makeZip, type ZipMember } from '#test/support/make-zip.ts'
import { createAgentFixture, runAs } from './agent-fixture.ts'
import type { AgentFixture } from './agent-fixture.ts'

const MIB = 2 ** 20

async function* chunks(...parts: (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

type Member = Partial<Header> & Pick<Header, 'name'>

/** A `.tar.gz` with these members. */
const tarGz = async (members: [Member, string?][]): Promise<Buffer> => {
  const archive = pack()
  for (const [header, content] of members) archive.entry({ ...header }, content ?? '')
  archive.finalize()
  const parts: Buffer[] = []
  for await (const part of archive as AsyncIterable<Buffer>) parts.push(part)
  return gzipSync(Buffer.concat(parts))
}

describe('file transfers with real users', () => {
  let host: AgentFixture
  let alice: OsUser
  let small: OsUser
  let victim: OsUser
  beforeAll(async () => {
    host = await createAgentFixture()
    ;[alice, small, victim] = await Promise.all([host.account(), host.account(3), host.account()])
  })
  afterAll(() => host.dispose())

  const at = (path: string, user = alice) => ({ username: user.username, path })
  const temporaries = async (user: OsUser, directory: string): Promise<string[]> =>
    (await readdir(join(user.home, directory))).filter((name) => name.startsWith('.berth-'))

  test('what is uploaded belongs to the account, keeps its mode and is read back', async () => {
    const bytes = randomBytes(2.5 * MIB)
    const path = 'public_html/big.bin'
    expect(await uploadFile(host.files, at(path), chunks(bytes))).toMatchObject({
      size: bytes.length,
      permissions: '0644',
      owner: alice.username,
    })
    expect((await lstat(join(alice.home, path))).uid).toBe(alice.uid)
    await host.files.chmod({ ...at(path), mode: '600' })
    await uploadFile(host.files, at(path), chunks('short'))
    expect((await lstat(join(alice.home, path))).mode & 0o777).toBe(0o600)
    await uploadFile(host.files, at(path), chunks(bytes.subarray(0, 10), bytes.subarray(10)))
    const file = await openFile(host.files, at(path))
    const parts: Uint8Array[] = []
    for await (const part of file.read(5, 2 * MIB)) parts.push(part)
    expect(Buffer.concat(parts).equals(bytes.subarray(5, 5 + 2 * MIB))).toBe(true)
    expect(await temporaries(alice, 'public_html')).toEqual([])
  })

  test('a file that changes while it is read is not mixed', async () => {
    await uploadFile(host.files, at('public_html/x'), chunks(randomBytes(2 * MIB)))
    const reading = (await openFile(host.files, at('public_html/x'))).read(0, 2 * MIB)
    await reading.next()
    await truncate(join(alice.home, 'public_html/x'), MIB + 5)
    await expect(reading.next()).rejects.toMatchObject({ status: 409 })
  })

  test('what a killed panel left goes with the next upload there, or the next count', async () => {
    const stale = (path: string): string => join(small.home, path, `.berth-${'0'.repeat(16)}.tmp`)
    const fresh = (path: string): string => join(small.home, path, `.berth-${'1'.repeat(16)}.tmp`)
    const leave = `for d in public_html tmp; do
      touch $d/.berth-1111111111111111.tmp && touch -d '1 day ago' $d/.berth-0000000000000000.tmp; done
      mkdir logs/.berth-2222222222222222.tmp && touch logs/.berth-2222222222222222.tmp/a
      touch -d '1 day ago' logs/.berth-2222222222222222.tmp .berth-other.tmp`
    await runAs(small, '/bin/sh', '-c', leave)
    await uploadFile(host.files, at('public_html/next', small), chunks('x'))
    expect(existsSync(stale('public_html'))).toBe(false)
    await host.usage.usedBytes({ ...small, ...host.registry.account(small.username)! })
    expect(existsSync(stale('tmp'))).toBe(false)
    expect(await temporaries(small, 'logs')).toEqual([])
    // One of today may still go on, and other names are the tenant's.
    for (const path of [fresh('public_html'), fresh('tmp'), join(small.home, '.berth-other.tmp')])
      expect(existsSync(path)).toBe(true)
    const left = [fresh('public_html'), fresh('tmp'), join(small.home, 'public_html/next')]
    await runAs(small, '/bin/rm', '--', ...left)
  })

  test('an upload that breaks off, or is over quota, leaves the old content and nothing else', async () => {
    const place = at('public_html/kept', small)
    await uploadFile(host.files, place, chunks('old'))
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield randomBytes(MIB)
      throw new Error('the client went away')
    }
    await expect(uploadFile(host.files, place, broken())).rejects.toThrow('went away')
    const tooMuch = chunks(...Array.from({ length: 5 }, () => randomBytes(MIB)))
    await expect(uploadFile(host.files, place, tooMuch)).rejects.toMatchObject({ status: 413 })
    expect(await readFile(join(small.home, 'public_html/kept'), 'utf8')).toBe('old')
    expect(await temporaries(small, 'public_html')).toEqual([])
    await users().setDiskQuota({
      operationId: host.operationId(),
      username: small.username,
      diskQuotaMb: 20,
    })
    await uploadFile(
      host.files,
      place,
      chunks(...Array.from({ length: 5 }, () => randomBytes(MIB))),
    )
    await users().setDiskQuota({
      operationId: host.operationId(),
      username: small.username,
      diskQuotaMb: 3,
    })
    await expect(host.files.copy({ ...place, to: 'public_html/again' })).rejects.toMatchObject({
      status: 413,
    })
    await expect(
      host.files.archive({
        username: small.username,
        paths: ['public_html/kept'],
        to: 'public_html/a.tar.gz',
      }),
    ).rejects.toMatchObject({ status: 413 })
    expect((await readdir(join(small.home, 'public_html'))).sort()).toEqual(['index.html', 'kept'])
  })
  const users = () => host.users

  test('no link leads a transfer out of the home', async () => {
    await runAs(alice, '/bin/ln', '-sfn', '--', victim.home, 'out')
    await runAs(alice, '/bin/ln', '-sfn', '--', '/etc/passwd', 'passwd')
    for (const path of ['out/x', 'passwd']) {
      await expect(uploadFile(host.files, at(path), chunks('x'))).rejects.toMatchObject({
        status: 403,
      })
      await expect(openFile(host.files, at(path))).rejects.toMatchObject({ status: 403 })
    }
    for (const verb of ['move', 'copy'] as const) {
      await expect(
        host.files[verb]({ ...at('out/public_html'), to: 'stolen' }),
      ).rejects.toMatchObject({ status: 403 })
      await expect(
        host.files[verb]({ ...at('public_html'), to: 'out/pushed' }),
      ).rejects.toMatchObject({ status: 403 })
    }
    await host.files.copy({ ...at('passwd'), to: 'public_html/link' })
    expect((await lstat(join(alice.home, 'public_html/link'))).isSymbolicLink()).toBe(true)
    const packed = await host.files.archive({
      username: alice.username,
      paths: ['out', 'passwd'],
      to: 'links.tar.gz',
    })
    expect(packed).toMatchObject({ entries: 0, skipped: 2 })
    await expect(
      host.files.extract({ ...at('links.tar.gz'), to: 'out', overwrite: true }),
    ).rejects.toMatchObject({ status: 403 })
  })

  test('a tree is packed and comes out as it was', async () => {
    await host.files.mkdir(at('site/deep/er'))
    await uploadFile(host.files, at('site/deep/er/ä.txt'), chunks('umlaut'))
    await host.files.chmod({ ...at('site/deep/er/ä.txt'), mode: '640' })
    await runAs(alice, '/bin/ln', '-s', '--', 'deep/er/ä.txt', 'site/link')
    await runAs(alice, '/usr/bin/mkfifo', '--', 'site/pipe')
    const packed = { ...at('site.tar.gz'), to: 'copy', overwrite: false }
    expect(
      await host.files.archive({ username: alice.username, paths: ['site'], to: 'site.tar.gz' }),
    ).toMatchObject({ skipped: 1 })
    await host.files.mkdir(at('copy'))
    await host.files.extract(packed)
    const out = join(alice.home, 'copy/site')
    expect(await readFile(join(out, 'link'), 'utf8')).toBe('umlaut')
    const stat = await lstat(join(out, 'deep/er/ä.txt'))
    expect([stat.mode & 0o777, stat.uid]).toEqual([0o640, alice.uid])
    await expect(host.files.extract(packed)).rejects.toMatchObject({ status: 409 })
    await host.files.extract({ ...packed, overwrite: true })
    expect(await temporaries(alice, 'copy')).toEqual([])
    await host.files.copy({ ...at('site'), to: 'site2' })
    expect((await readdir(join(alice.home, 'site2'))).sort()).toEqual(['deep', 'link'])
  })

  const hostile: [string, [Member, string?][]][] = [
    ['a name above', [[{ name: '../up.txt' }, 'x']]],
    ['an absolute name', [[{ name: '/etc/cron.d/x' }, 'x']]],
    ['a link out', [[{ name: 'l', type: 'symlink', linkname: '/etc' }]]],
    ['a link up', [[{ name: 'l', type: 'symlink', linkname: '../../..' }]]],
    [
      'a write through a link',
      [[{ name: 'l', type: 'symlink', linkname: 'in' }], [{ name: 'l/x' }, 'x']],
    ],
    ['a hard link', [[{ name: 'h', type: 'link', linkname: '/etc/passwd' }]]],
    ['a device', [[{ name: 'd', type: 'block-device' }]]],
    [
      'the same name twice',
      [
        [{ name: 'a' }, 'x'],
        [{ name: 'a' }, 'y'],
      ],
    ],
    [
      'a file as a directory',
      [
        [{ name: 'a' }, 'x'],
        [{ name: 'a/b' }, 'y'],
      ],
    ],
    [
      'good before bad',
      [
        [{ name: 'good' }, 'x'],
        [{ name: '../bad' }, 'y'],
      ],
    ],
  ]
  test.each(hostile)('an archive with %s leaves nothing', async (name, members) => {
    const path = `${name.replaceAll(' ', '-')}.tar.gz`
    await uploadFile(host.files, at(path), chunks(await tarGz(members)))
    await host.files.mkdir(at(`into-${path}`))
    await expect(
      host.files.extract({ ...at(path), to: `into-${path}`, overwrite: true }),
    ).rejects.toMatchObject({ status: 409 })
    expect(await readdir(join(alice.home, `into-${path}`))).toEqual([])
  })

  test('set-id bits are dropped; damage, bombs and what exceeds the quota are refused', async () => {
    await host.files.delete(at('public_html/kept', small))
    await host.files.mkdir(at('box', small))
    const extract = async (bytes: Uint8Array, user = small) => {
      await host.files.delete(at('box.tar.gz', user)).catch(() => undefined)
      await uploadFile(host.files, at('box.tar.gz', user), chunks(bytes))
      return host.files.extract({ ...at('box.tar.gz', user), to: 'box', overwrite: true })
    }
    await extract(await tarGz([[{ name: 'suid', mode: 0o6755 }, 'x']]))
    expect((await lstat(join(small.home, 'box/suid'))).mode & 0o7777).toBe(0o755)
    const big = await tarGz([[{ name: 'zeros' }, '\0'.repeat(8 * MIB)]])
    expect(big.length).toBeLessThan(100_000)
    await expect(extract(big)).rejects.toMatchObject({ status: 413 })
    const good = await tarGz([[{ name: 'a' }, 'x'.repeat(5000)]])
    await expect(extract(good.subarray(0, good.length - 20))).rejects.toMatchObject({ status: 409 })
    await expect(extract(randomBytes(2000))).rejects.toMatchObject({ status: 409 })
    expect(await readdir(join(small.home, 'box'))).toEqual(['suid'])
  })

  describe('zip', () => {
    const extractZip = async (bytes: Uint8Array, user = alice) => {
      await host.files.delete(at('box.zip', user)).catch(() => undefined)
      await host.files.delete(at('zipped', user)).catch(() => undefined)
      await uploadFile(host.files, at('box.zip', user), chunks(bytes))
      await host.files.mkdir(at('zipped', user))
      return host.files.extract({ ...at('box.zip', user), to: 'zipped', overwrite: true })
    }
    const inside = (user = alice) => readdir(join(user.home, 'zipped'))

    test('archives of every system come out, as the account', async () => {
      const { entries } = await extractZip(
        makeZip([
          { name: 'site/' },
          { name: 'site/index.html', content: 'hello' },
          { name: 'site\\windows.txt', content: 'blanks' },
          { name: './ümlaut.txt', content: 'utf8' },
          { name: Buffer.from([0x81, 0x2e, 0x74, 0x78, 0x74]), content: 'cp437' },
          { name: 'run.sh', content: 'x', mode: 0o104755 },
          { name: 'inner', content: 'site/index.html', mode: 0o120777 },
        ]),
      )
      expect(entries).toBe(7)
      const home = join(alice.home, 'zipped')
      expect(await readFile(join(home, 'site/index.html'), 'utf8')).toBe('hello')
      expect(await readFile(join(home, 'inner'), 'utf8')).toBe('hello')
      expect((await inside()).sort()).toEqual(['inner', 'run.sh', 'site', 'ü.txt', 'ümlaut.txt'])
      const run = await lstat(join(home, 'run.sh'))
      expect([run.mode & 0o7777, run.uid]).toEqual([0o755, (await lstat(alice.home)).uid])
      expect(await readdir(join(home, 'site'))).toEqual(['index.html', 'windows.txt'])
      await expect(extractZip(makeZip([]))).resolves.toEqual({ entries: 0 })
    })

    test.each<[string, ZipMember[]]>([
      ['names that climb', [{ name: 'good' }, { name: '../bad', content: 'x' }]],
      ['names that climb the other way', [{ name: 'a\\..\\..\\bad', content: 'x' }]],
      ['absolute names', [{ name: '/etc/bad', content: 'x' }]],
      ['names with a null byte', [{ name: 'a\0b', content: 'x' }]],
      ['links that lead out', [{ name: 'l', content: '../../../etc', mode: 0o120777 }]],
      [
        'files behind a link',
        [
          { name: 'l', content: 'd', mode: 0o120777 },
          { name: 'l/x', content: 'x' },
        ],
      ],
      ['very long links', [{ name: 'l', content: 'a'.repeat(5000), mode: 0o120777 }]],
      ['devices', [{ name: 'null', mode: 0o020666 }]],
      ['pipes', [{ name: 'fifo', mode: 0o010666 }]],
      [
        'the same name twice',
        [
          { name: 'a', content: 'x' },
          { name: 'a', content: 'y' },
        ],
      ],
      [
        'a file as a directory',
        [
          { name: 'a', content: 'x' },
          { name: 'a/b', content: 'y' },
        ],
      ],
      ['encrypted content', [{ name: 'a', content: 'x', says: { flags: 1 } }]],
      ['another packing', [{ name: 'a', content: 'x', says: { method: 12 } }]],
      ['a wrong checksum', [{ name: 'a', content: 'x', says: { crc: 1 } }]],
      ['more than it says', [{ name: 'a', content: 'x'.repeat(9000), says: { size: 10 } }]],
      ['less than it says', [{ name: 'a', content: 'x', says: { size: 9000 } }]],
      ['a directory with content', [{ name: 'd/', content: 'x' }]],
    ])('one with %s leaves nothing', async (_name, members) => {
      await expect(extractZip(makeZip(members))).rejects.toMatchObject({ status: 409 })
      expect(await inside()).toEqual([])
    })

    test('bombs and what breaks off are refused before they cost anything', async () => {
      const zeros = { name: 'zeros', content: '\0'.repeat(8 * MIB) }
      const big = makeZip([zeros])
      expect(big.length).toBeLessThan(100_000)
      await expect(extractZip(big, small)).rejects.toMatchObject({ status: 413 })
      // Each of many names stands for the same bytes.
      const share = { name: 'first', content: '\0'.repeat(MIB) }
      const names = Array.from({ length: 60 }, (_, n) => ({ ...share, name: `n${n}`, sameAs: 0 }))
      await expect(extractZip(makeZip([share, ...names]), small)).rejects.toMatchObject({
        status: 413,
      })
      const good = makeZip([{ name: 'a', content: randomBytes(5000) }])
      for (const cut of [10, 30, 2000])
        await expect(extractZip(good.subarray(0, good.length - cut))).rejects.toMatchObject({
          status: 409,
        })
      expect(await inside()).toEqual([])
    })
  })
})
