import { lstatSync, readFileSync, readlinkSync, readdirSync, rmSync, statSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TAR_END, tarHeader, tarPadding } from '#adapters/node/agent/backups/tar-writer.ts'
import type { TarEntry } from '#adapters/node/archives/tar-reader.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { randomId } from '#handlers/domain/access/random-id.ts'
import type { MovesPort, MoveStream } from '#handlers/ports/host/accounts/moves.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { copyHome } from '#handlers/services/moves/copy-home.ts'
import { receiptOf } from '#handlers/services/moves/relay.ts'
import { createAgentInstance } from './agent-process.ts'
import { newName } from './agent-fixture.ts'

type Agent = Awaited<ReturnType<typeof createAgentInstance>>

let source: Agent
let target: Agent
let from: OsUser
let to: OsUser

const createUser = (agent: Agent): Promise<OsUser> =>
  agent.client.users.create({
    ...{ operationId: randomId(), username: newName(), password: 'a password' },
    ...{ primaryDomain: 'moved.example.com', diskQuotaMb: 0 },
  })
beforeAll(async () => {
  ;[source, target] = await Promise.all([createAgentInstance(), createAgentInstance()])
  await Promise.all([source.start(), target.start()])
  from = await createUser(source)
  // Both are on one machine here, so the account has another name there.
  to = await createUser(target)
})
afterAll(async () => {
  for (const [agent, user] of [
    [source, from],
    [target, to],
  ] as const)
    if (user !== undefined)
      await agent.client.users.remove({ operationId: randomId(), username: user.username })
  await Promise.all([source?.dispose(), target?.dispose()])
})

/** The target's streams, for the account as it is called there. */
const there = (): MovesPort => ({
  ...target.client.moves,
  begin: (input) => target.client.moves.begin({ ...input, username: to.username }),
})
const copy = (since: number | null = null) =>
  copyHome(source.client.moves, there(), from.username, since)
/** Runs a script as the account, in its home at the source. */
const asOwner = async (script: string): Promise<void> => {
  const who = { uid: from.uid, gid: from.gid, groups: 'none' as const }
  const { program, args } = asUser(who, '/bin/bash', ['-c', `cd ${from.home} && ${script}`])
  const { code, stderr } = await runCommand(program, args)
  expect(stderr).toBe('')
  expect(code).toBe(0)
}
const tree = (home: string): string[] =>
  (readdirSync(home, { recursive: true, encoding: 'latin1' }) as string[])
    .map((name) => {
      const path = Buffer.from(`${home}/${name}`, 'latin1')
      const { mode, mtimeMs } = lstatSync(path)
      const kind = lstatSync(path).isSymbolicLink()
        ? `-> ${readlinkSync(path)}`
        : statSync(path).isFile()
          ? readFileSync(path).toString('latin1')
          : 'directory'
      const at = kind.startsWith('->') ? '' : Math.floor(mtimeMs / 1000)
      return `${name} ${(mode & 0o777).toString(8)} ${at} ${kind}`
    })
    .sort()

it('a home is the same at the other host, also after what changed since', async () => {
  await asOwner(
    [
      "mkdir -p 'a b/c' empty deep/er/and/deeper; echo one > 'a b/c/f'; printf x > $'odd\\nname'",
      "printf y > $'\\xe9'; ln -s 'a b/c' link; ln -s missing dangling; echo '<?php' > public_html/i.php",
      "chmod 0600 'a b/c/f'; chmod 0750 empty; touch -d '2020-01-02 03:04:05' public_html/i.php",
      "touch -d '2021-01-01' empty; echo h > hard; ln hard harder; echo -n > -- -rf; ln -s /etc/passwd out",
    ].join('; '),
  )
  const first = await copy()
  expect(first).toMatchObject({ skipped: 1, skippedPaths: ['out'] })
  await asOwner('rm out')
  expect(tree(to.home)).toEqual(tree(from.home))

  // Of the same size within the second of the first, gone, and of another kind.
  await asOwner(
    "echo two > 'a b/c/f'; touch -r public_html/i.php 'a b/c/f'; rm -r deep; rm link; mkdir link; echo n > link/n; rm hard harder",
  )
  const second = await copy(first.beganSecs - 1)
  expect(second.removed).toBeGreaterThan(0)
  expect(tree(to.home)).toEqual(tree(from.home))
  expect(await copy()).toMatchObject({ entries: 0, removed: 0 })
  expect(statSync(join(to.home, 'link/n')).uid).toBe(to.uid)
})

/** One stream of the target that is told `bytes`, and what it gave. */
const told = async (agent: Agent, user: OsUser, stream: MoveStream, bytes: Buffer) => {
  const { moves } = agent.client
  const streamId = randomId()
  await moves.begin({ streamId, username: user.username, stream })
  try {
    await moves.write({ streamId, number: 0, content: bytes.toString('base64'), last: true })
    const given = await moves.read({ streamId, number: 0 })
    await receiptOf({ moves, streamId })
    return Buffer.from(given?.content ?? '', 'base64')
  } finally {
    await moves.drop({ streamId })
  }
}
const member = (entry: Partial<TarEntry> & { name: string }, content = ''): Buffer => {
  const whole: TarEntry = {
    ...{ type: 'file', mode: 0o644, mtimeSecs: 0, link: '', sizeBytes: content.length },
    ...entry,
  }
  return Buffer.concat([tarHeader(whole), Buffer.from(content), tarPadding(whole)])
}

it('a link that leads out and a pipe, which came after the list, are left out alone', async () => {
  const pipe = tarHeader({
    ...{ name: 'pipe', type: 'file', mode: 0o644, mtimeSecs: 0, link: '', sizeBytes: 0 },
  })
  // As tar(5) marks one, with the sum of a header that says so.
  pipe[156] = '6'.charCodeAt(0)
  pipe.write('        ', 148, 'latin1')
  const sum = pipe.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  pipe.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  const packed = [
    member({ name: 'away-link', type: 'symlink', link: '/etc' }),
    ...[pipe, member({ name: 'came-late' }, 'x'), TAR_END],
  ]
  const { moves } = target.client
  const streamId = randomId()
  await moves.begin({ streamId, username: to.username, stream: { kind: 'unpack' } })
  try {
    const content = gzipSync(Buffer.concat(packed)).toString('base64')
    await moves.write({ streamId, number: 0, content, last: true })
    await moves.read({ streamId, number: 0 })
    expect(await receiptOf({ moves, streamId })).toMatchObject({
      ...{ entries: 1, bytes: 1, skipped: 2, skippedPaths: ['away-link', 'pipe'] },
    })
  } finally {
    await moves.drop({ streamId })
  }
  expect(readdirSync(to.home)).toContain('came-late')
  expect(readdirSync(to.home)).not.toContain('away-link')
  expect(readdirSync(to.home)).not.toContain('pipe')
  rmSync(join(to.home, 'came-late'))
})

it('nothing that another host says leads out of the home', async () => {
  for (const bad of [
    member({ name: '../out' }, 'x'),
    member({ name: '/etc/out' }, 'x'),
    Buffer.concat([
      member({ name: 'in', type: 'symlink', link: 'public_html' }),
      member({ name: 'in/x' }, 'x'),
    ]),
  ])
    await expect(
      told(target, to, { kind: 'unpack' }, gzipSync(Buffer.concat([bad, TAR_END]))),
    ).rejects.toMatchObject({ status: 409 })
  for (const name of ['../../etc/passwd', '/etc/passwd'])
    await expect(
      told(source, from, { kind: 'pack' }, Buffer.from(`${name}\0`)),
    ).rejects.toMatchObject({ status: 409 })
  // Without its NUL a name would reach the program, and nobody would have judged it.
  for (const unended of ['../../etc/passwd', 'public_html\0../../etc/passwd'])
    await expect(told(source, from, { kind: 'pack' }, Buffer.from(unended))).rejects.toMatchObject({
      status: 409,
    })
  for (const list of ['f 644 1 1 1 a', 'f 644 1 1 1 a\0', 'x\0\0', 'f 644 x 1 1 a\0\0'])
    await expect(
      told(target, to, { kind: 'compare', sinceSecs: null }, gzipSync(list)),
    ).rejects.toMatchObject({ status: 409 })
  // What it wants of a list is names of that list, and what leads out is not among them.
  const list = 'f 644 1 1 1.5 fine\0\0f 644 1 1 1 ../out\0\0l 777 1 1 1 away\0/etc\0'
  const wanted = await told(target, to, { kind: 'compare', sinceSecs: null }, gzipSync(list))
  expect(wanted.toString()).toBe('fine\0')
})

it('a piece is the same when it is asked for again, and none may be left out', async () => {
  const { moves } = source.client
  const streamId = randomId()
  await asOwner('echo one > again')
  await moves.begin({ streamId, username: from.username, stream: { kind: 'list' } })
  const first = await moves.read({ streamId, number: 0 })
  expect(await moves.read({ streamId, number: 0 })).toEqual(first)
  expect(gunzipSync(Buffer.from(first?.content ?? '', 'base64')).toString()).toContain('again')
  await expect(moves.read({ streamId, number: 7 })).rejects.toMatchObject({ status: 409 })
  await moves.drop({ streamId })
  await expect(moves.read({ streamId, number: 1 })).rejects.toMatchObject({ status: 404 })
})
