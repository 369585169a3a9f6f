import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createArchiveKeys } from '#adapters/node/agent/backups/records/archive-keys.ts'
import { walkArchive } from '#adapters/node/agent/backups/walk-archive.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'
import { createBackupFixture } from './backup-fixture.ts'
import type { BackupFixture } from './backup-fixture.ts'

let host: BackupFixture
beforeAll(async () => {
  host = await createBackupFixture()
})
afterAll(async () => {
  await host?.dispose()
})

const fileOf = (name: string): string => path.join(host.backupsDir, name)

/** Runs a shell script of `docs/backup-format.md` on an archive. */
const shell = async (script: string, env: Record<string, string>): Promise<string> => {
  const { code, stdout, stderr } = await runCommand('/bin/sh', ['-euc', script], { env })
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

const walk = (file: string, keys = host.deps.keys) =>
  walkArchive({
    file,
    limits: { maxEntries: 10_000, maxBytes: 2 ** 30 },
    keys,
    home: '/home/x',
    onManifest: () => undefined,
    takes: () => async (content) => {
      for await (const chunk of content) void chunk
    },
    onHome: async () => undefined,
  })

/** An account with a site that has a certificate, a database and a backup. */
const backedUp = async () => {
  const user = await host.account()
  const database = await host.database(user, 'shop')
  const directory = path.join(host.directory, `ssl-${user.username}`)
  await mkdir(directory)
  const ssl = {
    certificate: path.join(directory, 'certificate.pem'),
    key: path.join(directory, 'key.pem'),
  }
  await writeFile(ssl.certificate, 'the chain\n')
  await writeFile(ssl.key, 'the private key\n')
  const domain = `${user.username}.example`
  host.registry.changeVhosts(
    [
      {
        domain,
        aliases: [],
        username: user.username,
        root: `${user.home}/public_html`,
        suspended: false,
        overBandwidth: false,
        php: null,
        ssl,
        redirectHttps: false,
        cache: { enable: true, ttl: null, exclude: [] },
      },
    ],
    [],
  )
  const name = host.nameOf(user)
  await host.create(user, name)
  return { user, database, domain, file: fileOf(name) }
}

it('tells all of an account in its manifest, and no secret', async () => {
  const { user, database, domain, file } = await backedUp()
  const { manifest, proof } = await walk(file)
  expect(proof).toBe('own')
  const { record, secrets } = newRecord(user.username)
  expect(manifest).toMatchObject({
    version: 2,
    username: user.username,
    made_by: 'berth test',
    uid: user.uid,
    home: user.home,
    record,
    databases: [{ engine: 'mariadb', database, user: database }],
    certificates: [{ domain }],
    sealed: { file: 'secrets.sealed' },
  })
  expect(manifest.databases[0]?.password_hash).toMatch(/^\*[0-9A-F]{40}$/)
  const tar = gunzipSync(await readFile(file)).toString('latin1')
  expect(tar).toContain('the chain')
  for (const secret of [secrets.password_hash, 'the private key', '$y$', '$6$'])
    expect([secret, tar.includes(secret)]).toEqual([secret, false])
  const key = path.join(host.directory, 'keys', 'own.key')
  const [directory, keyFile] = await Promise.all([stat(path.dirname(key)), stat(key)])
  expect([directory.mode & 0o777, keyFile.mode & 0o777]).toEqual([0o700, 0o600])
  expect(tar).not.toContain((await readFile(key, 'utf8')).trim())
})

it('is proved and opened by hand, with openssl and the key', async () => {
  const { user, domain, file } = await backedUp()
  const out = path.join(host.directory, 'by-hand')
  await mkdir(out)
  const key = (await readFile(path.join(host.directory, 'keys', 'own.key'), 'utf8')).trim()
  const env = { FILE: file, OUT: out, KEY: key, PATH: '/usr/bin:/bin' }
  const proof = JSON.parse(
    await shell('gunzip -c "$FILE" | tail -c 2048 | tar -xO proof.json', env),
  ) as { sha256: string; mac: string }
  expect(await shell('gunzip -c "$FILE" | head -c -2048 | sha256sum', env)).toContain(proof.sha256)
  expect(
    await shell(
      'printf "berth archive\\n%s\\n" "$SHA256" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY"',
      { ...env, SHA256: proof.sha256 },
    ),
  ).toContain(proof.mac)
  await shell('tar -xzf "$FILE" -C "$OUT" --no-same-owner', env)
  const manifest = JSON.parse(await readFile(path.join(out, 'manifest.json'), 'utf8')) as {
    sealed: { iv: string }
  }
  const opened = await shell(
    `SEAL=$(printf "berth archive seal\\n" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -r | cut -d' ' -f1)
     openssl enc -d -aes-256-ctr -K "$SEAL" -iv "$IV" -in "$OUT/secrets.sealed"`,
    { ...env, IV: manifest.sealed.iv },
  )
  expect(JSON.parse(opened)).toEqual({
    panel: newRecord(user.username).secrets,
    system_password_hash: expect.stringMatching(/^\$/) as string,
    certificate_keys: { [domain]: 'the private key\n' },
  })
})

it('is known on another host by its key alone, and refused once it was changed', async () => {
  const { user, file } = await backedUp()
  const elsewhere = path.join(host.directory, 'elsewhere')
  const keys = createArchiveKeys(elsewhere)
  expect((await walk(file, keys)).proof).toBe('unproved')
  await cp(path.join(host.directory, 'keys', 'own.key'), path.join(elsewhere, 'first.key'))
  expect((await walk(file, keys)).proof).toBe('known')

  const tar = gunzipSync(await readFile(file))
  const changed = path.join(host.directory, 'changed.tar.gz')
  const at = tar.indexOf(`${user.username}@example.com`)
  const bytes = Buffer.from(tar)
  bytes.write('x', at)
  await writeFile(changed, gzipSync(bytes))
  await expect(walk(changed)).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('changed after it had been made') as string,
  })
  // Whoever takes the proof off has an archive that anybody may have made.
  const cut = Buffer.concat([tar.subarray(0, -2048), Buffer.alloc(1024)])
  await writeFile(changed, gzipSync(cut))
  expect((await walk(changed)).proof).toBe('unproved')
  // A proof that is not the end of its archive stands for nothing.
  await writeFile(changed, gzipSync(Buffer.concat([tar, Buffer.alloc(512)])))
  expect((await walk(changed)).proof).toBe('unproved')
  const more = Buffer.concat([tar.subarray(0, -1024), tar.subarray(0, 512), tar.subarray(-1024)])
  await writeFile(changed, gzipSync(more))
  await expect(walk(changed)).rejects.toMatchObject({ status: 409 })
})

it('keeps the key that is there, and takes no other for it', async () => {
  const directory = path.join(host.directory, 'some-keys')
  const [first, second] = await Promise.all([
    createArchiveKeys(directory).own(),
    createArchiveKeys(directory).own(),
  ])
  expect(first.id).toBe(second.id)
  expect(await createArchiveKeys(directory).byId(first.id)).toMatchObject({ own: true })
  expect(await createArchiveKeys(directory).byId('0'.repeat(16))).toBeNull()
  await writeFile(path.join(directory, 'own.key'), 'nonsense\n')
  await expect(createArchiveKeys(directory).own()).rejects.toThrow('not a key of archives')
  const hash = createHash('sha256').update(first.macOf('x')).digest('hex')
  expect(first.fits('x', hash)).toBe(false)
  expect(first.fits('x', 'no')).toBe(false)
})

it('gives back a database with a client alone, its user with the same password', async () => {
  const { user, database } = await backedUp()
  await host.query(database, "CREATE TABLE goods (name TEXT); INSERT INTO goods VALUES ('tea')")
  const name = host.nameOf(user)
  await host.create(user, name)
  const out = path.join(host.directory, 'client')
  await mkdir(out)
  const { manifest } = await walk(fileOf(name))
  const hash = manifest.databases[0]?.password_hash ?? ''
  await host.databases.remove({
    operationId: host.operationId(),
    username: user.username,
    engine: 'mariadb',
    database,
    user: database,
  })
  await shell(
    `tar -xzf "$FILE" -C "$OUT" --no-same-owner
     mariadb --socket="$SOCKET" -e "CREATE DATABASE $NAME"
     mariadb --socket="$SOCKET" -e "CREATE USER '$NAME'@'localhost' IDENTIFIED VIA mysql_native_password USING '$HASH'"
     mariadb --socket="$SOCKET" -e "GRANT ALL ON \\\`$NAME\\\`.* TO '$NAME'@'localhost'"
     mariadb --socket="$SOCKET" "$NAME" < "$OUT/databases/mariadb-$NAME.sql"`,
    {
      FILE: fileOf(name),
      OUT: out,
      SOCKET: host.socketPath,
      NAME: database,
      HASH: hash,
      PATH: '/usr/bin:/bin',
    },
  )
  expect(await host.query(database, 'SELECT name FROM goods')).toEqual([{ name: 'tea' }])
  await host.query(database, `DROP DATABASE ${database}; DROP USER '${database}'@'localhost'`, true)
})
