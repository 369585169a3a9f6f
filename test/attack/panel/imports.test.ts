import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type { Header } from 'tar-stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { DatabaseMove } from '#handlers/ports/host/backups/imports.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'
import { createBackupFixture } from '#test/node/backups/backup-fixture.ts'
import type { BackupFixture } from '#test/node/backups/backup-fixture.ts'

let host: BackupFixture
let dropped = ''
let outside = ''
beforeAll(async () => {
  host = await createBackupFixture()
  dropped = path.join(host.directory, 'dropped')
  outside = path.join(host.directory, 'outside')
  await mkdir(dropped, { mode: 0o700 })
  await mkdir(outside)
})
afterAll(async () => {
  await host?.dispose()
})

type Member = [Partial<Header> & Pick<Header, 'name'>, (string | Buffer)?]

const measured = (text: string) => ({
  size_bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
})

/** A manifest of version 2 that nobody proves, of an account `eve`. */
const manifestOf = (change: object = {}): Member => [
  { name: 'manifest.json' },
  JSON.stringify({
    version: 2,
    username: 'eve',
    created_at: '2026-01-01 00:00:00',
    made_by: null,
    uid: 33,
    home: '/home/eve',
    record: newRecord('eve').record,
    databases: [],
    certificates: [],
    sealed: null,
    ...change,
  }),
]

let serial = 0
const archiveOf = async (members: readonly Member[]): Promise<string> => {
  const tar = pack()
  for (const [header, content] of members) tar.entry(header, content ?? '')
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  const file = path.join(dropped, `eve-${(serial += 1)}.tar.gz`)
  await writeFile(file, gzipSync(Buffer.concat(chunks)))
  return file
}

const follow = async (importId: string, step: 'open' | 'fill') => {
  for (;;) {
    const progress = await host.backups.imports.wait({ importId, step })
    if (progress.state !== 'running') return progress
  }
}
const open = async (members: readonly Member[]) => {
  const importId = `attack-${(serial += 1)}`
  const source = { kind: 'file' as const, path: await archiveOf(members) }
  await host.backups.imports.open({ importId, source })
  return { importId, ...(await follow(importId, 'open')) }
}
const fill = async (importId: string, user: OsUser, databases: DatabaseMove[] = []) => {
  await host.backups.imports.fill({ importId, username: user.username, databases })
  return follow(importId, 'fill')
}

it.each<[string, Member[]]>([
  ['..', [manifestOf(), [{ name: 'home/../../outside/evil' }, 'x']]],
  ['an absolute name', [manifestOf(), [{ name: '/etc/evil' }, 'x']]],
  ['a member beside home', [manifestOf(), [{ name: 'certificates/x.pem' }, 'x']]],
  ['a link out', [manifestOf(), [{ name: 'home/l', type: 'symlink', linkname: '/etc' }]]],
  [
    'a link that only looks like one into its home',
    [manifestOf(), [{ name: 'home/l', type: 'symlink', linkname: '/home/eve/../../etc' }]],
  ],
  [
    'a link into a home of a longer name',
    [manifestOf(), [{ name: 'home/l', type: 'symlink', linkname: '/home/eve2/x' }]],
  ],
  ['a hard link', [manifestOf(), [{ name: 'home/h', type: 'link', linkname: '/etc/shadow' }]]],
  ['a device', [manifestOf(), [{ name: 'home/d', type: 'block-device' }]]],
  ['no manifest', [[{ name: 'home/x' }, 'x']]],
  ['a newer version', [manifestOf({ version: 3 })]],
  ['a username with a path', [manifestOf({ username: '../root' })]],
  ['a home of the whole machine', [manifestOf({ home: '/' })]],
  [
    'a certificate of a path',
    [manifestOf({ certificates: [{ domain: '../x', ...measured('x') }] })],
  ],
  ['a missing part', [manifestOf({ certificates: [{ domain: 'a.example', ...measured('x') }] })]],
  [
    'another part than it tells',
    [
      manifestOf({ certificates: [{ domain: 'a.example', ...measured('x') }] }),
      [{ name: 'certificates/a.example.pem' }, 'y'],
    ],
  ],
  [
    'a dump under another name',
    [
      manifestOf({
        databases: [
          {
            engine: 'mariadb',
            database: 'eve_a',
            file: '../../evil',
            user: null,
            password_hash: null,
            ...measured('x'),
          },
        ],
      }),
    ],
  ],
  [
    'something behind its proof',
    [manifestOf(), [{ name: 'proof.json' }, '{}'], [{ name: 'home/x' }]],
  ],
])('an archive with %s is not opened', async (_name, members) => {
  const { state, error } = await open(members)
  expect([state, error?.status]).toEqual(['failed', 409])
  expect(await readdir(outside)).toEqual([])
  expect(existsSync('/etc/evil')).toBe(false)
  expect(await readdir(path.join(host.backupsDir, '.work'))).toEqual([])
})

it('a forged proof proves nothing, and what is called sealed stays shut', async () => {
  const key = await host.deps.keys.own()
  const sealed = {
    file: 'secrets.sealed',
    cipher: 'aes-256-ctr',
    key_id: key.id,
    iv: '0'.repeat(32),
    ...measured('x'),
  }
  const proof = { sha256: '0'.repeat(64), key_id: '0'.repeat(16), mac: '0'.repeat(64) }
  const { result } = await open([
    manifestOf({ sealed }),
    [{ name: 'secrets.sealed' }, 'x'],
    [{ name: 'proof.json' }, JSON.stringify(proof).padEnd(512)],
  ])
  expect(result).toMatchObject({ proof: 'unproved', hasSecrets: false, keyId: key.id })
})

it("definitions of others become the new account's own, and reach nothing else", async () => {
  const [user, other] = [await host.account(), await host.account()]
  const [mine, theirs] = [await host.database(user, 'a'), await host.database(other, 'a')]
  await host.query(theirs, "CREATE TABLE a (b TEXT); INSERT INTO a VALUES ('theirs')")
  const importing = async (definer: string, sql: string) => {
    const dump = `${sql}\n-- Dump completed on 2026-01-01\n`
    const databases = [
      {
        engine: 'mariadb',
        database: 'eve_a',
        file: 'mariadb-eve_a.sql',
        user: definer,
        password_hash: null,
        ...measured(dump),
      },
    ]
    const { importId, error } = await open([
      manifestOf({ databases }),
      [{ name: 'databases/mariadb-eve_a.sql' }, dump],
    ])
    expect(error).toBeNull()
    return fill(importId, user, [{ engine: 'mariadb', from: 'eve_a', to: mine }])
  }
  const procedure = `CREATE DEFINER=\`root\`@\`localhost\` PROCEDURE p() SQL SECURITY DEFINER DELETE FROM ${theirs}.a;`
  expect(await importing('root', procedure)).toMatchObject({ state: 'done' })
  await expect(host.query(mine, 'CALL p()')).rejects.toThrow(/denied/)
  for (const sql of [
    procedure,
    `USE ${theirs}; DELETE FROM a;`,
    `CREATE DEFINER=\`${theirs}\`@\`localhost\` VIEW v AS SELECT 1;`,
    `GRANT ALL ON *.* TO '${mine}'@'localhost';`,
  ])
    expect([sql, (await importing('eve_a', sql)).error?.status]).toEqual([sql, 409])
  expect(await host.query(theirs, 'SELECT b FROM a')).toEqual([{ b: 'theirs' }])
})

it('a database goes only into one of the account, and a hash only as one', async () => {
  const [user, other] = [await host.account(), await host.account()]
  const theirs = await host.database(other, 'a')
  const mine = await host.database(user, 'a')
  const dump = 'SELECT 1;\n-- Dump completed on 2026-01-01\n'
  const databases = [
    {
      engine: 'mariadb',
      database: 'eve_a',
      file: 'mariadb-eve_a.sql',
      user: 'eve_a',
      password_hash: "' OR '1'='1",
      ...measured(dump),
    },
  ]
  const { importId } = await open([
    manifestOf({ databases }),
    [{ name: 'databases/mariadb-eve_a.sql' }, dump],
  ])
  const to = (name: string): DatabaseMove[] => [{ engine: 'mariadb', from: 'eve_a', to: name }]
  expect((await fill(importId, user, to(theirs))).error?.status).toBe(409)
  const taking = (name: string) =>
    host.backups.imports.takePasswords({
      importId,
      username: user.username,
      databases: to(name),
      users: [],
      system: true,
    })
  await expect(taking(theirs)).rejects.toMatchObject({ status: 404 })
  await expect(taking(mine)).rejects.toMatchObject({ status: 400 })
})
