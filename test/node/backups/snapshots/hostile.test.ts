import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { mkdir, open, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { createSnapshotFixture } from './snapshot-fixture.ts'
import type { SnapshotFixture } from './snapshot-fixture.ts'

let fixture: SnapshotFixture
let user: OsUser

beforeAll(async () => {
  fixture = await createSnapshotFixture()
  user = await fixture.host.account()
})
afterAll(() => fixture?.dispose())

const at = (...parts: string[]): string => path.join(fixture.state, ...parts)
const place = (one = user) => ({ username: one.username, location: 'local' })
const ALL = { files: 'all', databases: 'all' } as const

/** Processes of restic that run now, each with its id, words and environment. */
const restics = (): { pid: number; words: string; env: string; status: string }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ')
        if (!words.startsWith('/usr/bin/restic ')) return []
        const env = readFileSync(`/proc/${name}/environ`, 'latin1')
        const status = readFileSync(`/proc/${name}/status`, 'utf8')
        return [{ pid: Number(name), words, env, status }]
      } catch {
        return []
      }
    })
/** The one that backs up, once it runs. */
const backingUp = async (): Promise<ReturnType<typeof restics>[number]> => {
  for (;;) {
    const found = restics().find(({ words }) => words.includes(' backup '))
    if (found !== undefined) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}
const folder = async (snapshotId: string, wanted: string): Promise<Buffer> => {
  const readId = `read-${Math.random()}`
  await fixture.snapshots.open({ ...place(), readId, snapshotId, what: { path: wanted } })
  const chunks: Buffer[] = []
  for (;;) {
    const { content } = await fixture.snapshots.read({ readId })
    if (content === '') break
    chunks.push(Buffer.from(content, 'base64'))
  }
  await fixture.snapshots.close({ readId })
  return gunzipSync(Buffer.concat(chunks))
}

describe('a hostile home', () => {
  it('comes back as it was, without pipes, foreign files and links out of it', async () => {
    const { home } = user
    await fixture.host.shell(
      user,
      `mkdir -p odd; cd odd; printf 1 > "$(printf 'caf\\351')"; printf 2 > "$(printf 'a\\nb')"
       mkfifo pipe; ln -s /etc/shadow out; ln -s ../odd in; mkdir -p deep/er; printf 3 > deep/er/c
       mkfifo deep/er/tube
       printf 4 > 'star*?[x]'; printf 5 > ./--target`,
    )
    await writeFile(path.join(home, 'odd/foreign'), 'of root', { mode: 0o600 })
    const snapshot = await fixture.take(user)
    await fixture.host.shell(user, 'rm -rf odd/c* odd/a* odd/s* odd/deep odd/pipe odd/in odd/out')
    await rm(path.join(home, 'odd/foreign'))
    const restore = await fixture.work(user, {
      kind: 'restore',
      snapshotId: snapshot.id,
      parts: ALL,
    })
    expect(restore.error).toBeNull()
    const names = await readdir(path.join(home, 'odd'), 'buffer')
    expect(names.map((name) => name.toString('latin1')).sort()).toEqual(
      ['--target', 'a\nb', 'caf\xe9', 'deep', 'in', 'star*?[x]'].sort(),
    )
    const dump = (await folder(snapshot.id, 'odd')).toString('latin1')
    expect(dump).toContain('odd/caf\xe9')
    expect(dump).not.toContain('of root')
    expect(dump).toContain('odd/deep/er/c')
    expect(dump).not.toContain('tube')
    const what = { path: 'odd/foreign' }
    await expect(
      fixture.snapshots.open({ ...place(), readId: 'foreign', snapshotId: snapshot.id, what }),
    ).rejects.toMatchObject({ status: 404 })
  })

  it('cannot put a link in the place of a directory while it is read', async () => {
    // What lies there is root's alone, under the names that the home has.
    const secret = at('secret')
    await mkdir(secret, { mode: 0o700 })
    for (let index = 0; index < 300; index += 1)
      await writeFile(path.join(secret, `f${index}`), 'SECRET', { mode: 0o600 })
    await fixture.host.shell(
      user,
      `for d in $(seq 1 8); do mkdir swap$d; ln -s ${secret} link$d; done
       for i in $(seq 0 299); do echo mine > swap1/f$i; done
       for d in $(seq 2 8); do cp -r swap1/. swap$d; done`,
    )
    const exchange = process.arch === 'arm64' ? 276 : 316
    // renameat2 with RENAME_EXCHANGE: each name is a directory or a link, and never missing.
    const exchanging = fixture.host.shell(
      user,
      `exec /usr/bin/perl -e 'until (-e "stop") { for (1..8) { my ($a, $b) = ("swap$_", "link$_"); syscall(${exchange}, -100, $a, -100, $b, 2) } }'`,
    )
    const { id } = await fixture.take(user)
    await fixture.host.shell(user, 'touch stop')
    await exchanging
    expect((await folder(id, '')).includes('SECRET')).toBe(false)
    // A file of root's would not be handed out either; here none may have been read at all.
    const read: number[] = []
    for (let index = 1; index <= 8; index += 1)
      for (const directory of [`swap${index}`, `link${index}`]) {
        const where = { ...place(), snapshotId: id, directory, offset: 0 }
        const { entries } = await fixture.snapshots.browse(where).catch(() => ({ entries: [] }))
        read.push(...entries.map(({ sizeBytes }) => sizeBytes))
      }
    expect(read.filter((size) => size === 'SECRET'.length)).toEqual([])
  })
})

describe('secrets', () => {
  it('are in no command line, and restic has one capability and no way to more', async () => {
    await fixture.host.shell(user, 'head -c 60000000 /dev/urandom > big')
    const operationId = await fixture.begin(user, fixture.orderOf(user))
    const { words, env, status } = await backingUp()
    const password = /RESTIC_PASSWORD=([0-9a-f]{64})/.exec(env)?.[1] ?? ''
    expect(password).toHaveLength(64)
    expect(words).not.toContain(password)
    for (const line of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(status).toMatch(new RegExp(`${line}:\\t0000000000000004\n`))
    expect(status).toMatch(/NoNewPrivs:\t1/)
    expect(status).toMatch(new RegExp(`Uid:\t${fixture.backupUser?.uid}\t`))
    expect(env).not.toMatch(/NODE_|BERTH/)
    await fixture.snapshots.stop({ operationId })
    expect((await fixture.follow(operationId)).error?.status).toBe(409)
  })

  it('neither repository nor staging nor key can be read by an account', async () => {
    await fixture.take(user)
    const as = { uid: user.uid, gid: user.gid, groups: 'none' as const }
    for (const one of [
      at('snapshots', user.username, 'config'),
      at('snapshots'),
      at('snapshot-staging'),
      at('snapshot-cache', 'restic'),
      path.join(fixture.keysDirectory, 'own.key'),
    ]) {
      const { program, args } = asUser(as, '/bin/ls', ['--', one])
      const { code, stderr } = await runCommand(program, args)
      expect(code, one).toBe(2)
      expect(stderr).toContain('Permission denied')
    }
    expect(readdirSync(at('snapshot-staging')).sort()).toEqual(['.figures', '.unfinished'])
  })
})

describe('what goes wrong', () => {
  it('a dump that fails leaves no snapshot', async () => {
    const other = await fixture.host.account()
    await fixture.host.database(other, 'shop')
    const broken = fixture.host.engines.map((engine): Engine =>
      engine.name === 'mariadb' ? { ...engine, dumpEnd: /never/ } : engine,
    )
    await fixture.restart({ engines: broken })
    const progress = await fixture.work(other, fixture.orderOf(other))
    expect(progress.error?.status).toBe(503)
    expect(progress.error?.message).toContain('not complete')
    await fixture.restart()
    expect(await fixture.snapshots.list(place(other))).toEqual([])
    expect(existsSync(at('snapshot-staging', other.username))).toBe(false)
  })

  it('killed in the middle, the next one goes on, over the lock that was left', async () => {
    const other = await fixture.host.account()
    await fixture.host.shell(other, 'head -c 150000000 /dev/urandom > big')
    const operationId = await fixture.begin(other, fixture.orderOf(other))
    const { pid } = await backingUp()
    const repository = at('snapshots', other.username)
    const packs = (): number => {
      const data = path.join(repository, 'data')
      return readdirSync(data).reduce((n, one) => n + readdirSync(path.join(data, one)).length, 0)
    }
    while (packs() < 2) await new Promise((resolve) => setImmediate(resolve))
    process.kill(pid, 'SIGKILL')
    const killed = await fixture.follow(operationId)
    expect(killed.state).toBe('failed')
    expect(readdirSync(path.join(repository, 'locks'))).toHaveLength(1)
    const stored = packs()
    const snapshot = await fixture.take(other)
    expect(snapshot.sizeBytes).toBeGreaterThanOrEqual(150_000_000)
    // What was there already is not stored twice.
    expect(snapshot.addedBytes ?? Infinity).toBeLessThan(150_000_000 - (stored - 1) * 1_000_000)
    const removed = await fixture.work(other, { kind: 'remove', snapshotIds: [snapshot.id] })
    expect(removed.error).toBeNull()
    expect(readdirSync(path.join(repository, 'locks'))).toEqual([])
  })

  it('a changed pack is found by the check of the share that it is in', async () => {
    const other = await fixture.host.account()
    await fixture.host.shell(other, 'head -c 3000000 /dev/urandom > some')
    const { id } = await fixture.take(other)
    const check = { kind: 'check', share: { nth: 1, of: 1 } } as const
    expect((await fixture.work(other, check)).error).toBeNull()
    const data = at('snapshots', other.username, 'data')
    const packs = (await readdir(data)).flatMap((one) =>
      readdirSync(path.join(data, one)).map((name) => path.join(data, one, name)),
    )
    for (const pack of packs) {
      const handle = await open(pack, 'r+')
      await handle.write(Buffer.alloc(64, 1), 0, 64, 200)
      await handle.close()
    }
    const damaged = await fixture.work(other, check)
    expect(damaged.error?.status).toBe(409)
    expect(damaged.error?.message).toContain('damaged')
    const trial = await fixture.work(other, { kind: 'trial', snapshotId: id })
    expect(trial.state).toBe('failed')
    expect(readdirSync(at('snapshot-work'))).toEqual([])
  })

  it('another key opens nothing and says so', async () => {
    const file = path.join(fixture.keysDirectory, 'own.key')
    const key = await readFile(file)
    await writeFile(file, `${'0'.repeat(64)}\n`)
    await fixture.restart()
    await expect(fixture.snapshots.list(place())).rejects.toMatchObject({ status: 409 })
    expect((await fixture.work(user, fixture.orderOf(user))).error?.message).toContain('own.key')
    await writeFile(file, key)
    await fixture.restart()
    expect((await fixture.snapshots.list(place())).length).toBeGreaterThan(0)
  })
})
