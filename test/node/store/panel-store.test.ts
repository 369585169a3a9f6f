import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPanelStore, type StoreConfig } from '#adapters/node/store/open-panel-store.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { startPostgres, type PostgresServer } from '#test/support/setups/postgres-server.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

/** Of this test alone: what else this machine serves listens at other ones. */
const ADDRESS = '127.0.0.77'
let server: PostgresServer
let passwordFile: string
let caFile: string

beforeAll(async () => {
  makeDirectory()
  chmodSync(directory, 0o755)
  const [hba, key, certificate] = ['hba', 'server.key', 'server.pem'].map((name) =>
    join(directory, name),
  ) as [string, string, string]
  writeFileSync(hba, 'local all all trust\nhost all all all scram-sha-256\n')
  const authority = makeCertificate({ names: ['authority'], authority: true })
  const made = makeCertificate({ names: ['db.test'], addresses: [ADDRESS], issuer: authority })
  caFile = join(directory, 'ca.pem')
  writeFileSync(caFile, authority.certificate)
  writeFileSync(certificate, made.certificate)
  writeFileSync(key, made.key, { mode: 0o600 })
  const line = readFileSync('/etc/passwd', 'utf8').match(/^postgres:[^:]*:(\d+):(\d+)/m)
  chownSync(key, Number(line?.[1]), Number(line?.[2]))
  server = await startPostgres(
    ...[`listen_addresses=${ADDRESS}`, `hba_file=${hba}`, 'password_encryption=scram-sha-256'],
    ...[`ssl_cert_file=${certificate}`, `ssl_key_file=${key}`],
  )
  await server.query('alter system set ssl = on')
  await server.query('select pg_reload_conf()')
  await server.query("create role panel login password 'correct horse'")
  await server.query('create database panel owner panel')
  await server.query('create database closed')
  passwordFile = join(directory, 'password')
  writeFileSync(passwordFile, 'correct horse\n', { mode: 0o600 })
})
afterAll(() => server?.stop())

const configOf = (panel: Partial<StoreConfig['panel']>): StoreConfig => ({
  panel: { store: null, store_password_file: passwordFile, store_ca_file: null, ...panel },
  paths: { state_dir: directory },
})
const URL_OF = `postgres://panel@${ADDRESS}/panel`
const TLS = '?sslmode=verify-full'

const opens = async (panel: Partial<StoreConfig['panel']>): Promise<string> => {
  try {
    const { store, problem, close } = await openPanelStore(configOf(panel))
    try {
      return `${await store.setupDone()} ${await problem()}`
    } finally {
      await close()
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('[panel] store', () => {
  test('goes over TCP by SCRAM, and by TLS with the name checked', async () => {
    expect(await opens({ store: URL_OF })).toBe('false null')
    expect(await opens({ store: URL_OF + TLS, store_ca_file: caFile })).toBe('false null')
  })

  test('lets nobody else into its database, who could hold its lock', async () => {
    await server.query("create role neighbour login password 'hers'")
    const enters = async (): Promise<boolean> => {
      const client = new pg.Client({
        ...{ host: ADDRESS, user: 'neighbour', password: 'hers', database: 'shared' },
      })
      try {
        await client.connect()
        await client.end()
        return true
      } catch (error) {
        expect(String(error)).toContain('permission denied for database')
        return false
      }
    }
    await server.query('create database shared owner panel')
    expect(await enters()).toBe(true)
    const url = `postgres://panel@${ADDRESS}/shared`
    expect(await opens({ store: url })).toBe('false null')
    expect(await enters()).toBe(false)
    // Several panels that start at the same time.
    await server.query('grant connect on database shared to public')
    const all = await Promise.all(Array.from({ length: 4 }, () => opens({ store: url })))
    expect(new Set(all)).toEqual(new Set(['false null']))
    // Who opens it again is told by the doctor what that means.
    const { problem, close } = await openPanelStore(configOf({ store: url }))
    await server.query('grant connect on database shared to public')
    expect(await problem()).toMatch(/Every user .* REVOKE CONNECT/)
    await close()
  })

  test('whom the certificate is not for, or of whom nobody knows, is not spoken to', async () => {
    expect(await opens({ store: URL_OF + TLS })).toContain('certificate is not accepted')
    const other = `postgres://panel@localhost/panel${TLS}&host=127.0.0.78`
    expect(await opens({ store: other, store_ca_file: caFile })).toMatch(/cannot be used/)
  })

  test.each([
    ['wrong\n', 0o600, 'the password is not that of panel'],
    ['correct horse', 0o644, 'may be read by others'],
    ['', 0o600, 'is empty'],
  ])('with the password file %j of mode %o it tells why', async (text, mode, why) => {
    const file = join(directory, 'other-password')
    writeFileSync(file, text)
    chmodSync(file, mode)
    const told = await opens({ store: URL_OF, store_password_file: file })
    expect(told).toContain(why)
    expect(told).not.toContain('correct horse')
  })

  test('tells what else is missing', async () => {
    expect(await opens({ store: URL_OF, store_password_file: null })).toContain(
      'asks for a password',
    )
    expect(await opens({ store: `postgres://panel@${ADDRESS}/none` })).toContain(
      'createdb --encoding=UTF8',
    )
    if (Number((await server.query('show server_version_num'))[0]?.['server_version_num']) > 150000)
      expect(await opens({ store: `postgres://panel@${ADDRESS}/closed` })).toContain(
        'ALTER DATABASE closed OWNER TO panel',
      )
    await server.query('alter system set ssl = off')
    await server.query('select pg_reload_conf()')
    await waitFor(async () =>
      expect(await opens({ store: URL_OF + TLS, store_ca_file: caFile })).toContain('no TLS'),
    )
  })

  test('what the server is no longer is told while the panel runs', async () => {
    const { problem, close } = await openPanelStore(configOf({ store: URL_OF }))
    await server.query('alter system set synchronous_commit = off')
    await server.query('select pg_reload_conf()')
    await waitFor(async () => expect(await problem()).toContain('synchronous_commit is off'))
    await close()
    expect(await opens({ store: URL_OF })).toContain('synchronous_commit is off')
    await server.query('alter system reset synchronous_commit')
    await server.query('select pg_reload_conf()')
  })

  test('a server that starts later is waited for, and told of once', async () => {
    await server.stop()
    expect(await opens({ store: URL_OF })).toContain('ECONNREFUSED')
    const lines: string[] = []
    const keep = (line: string): void => void lines.push(line)
    const opening = openPanelStore(configOf({ store: URL_OF }), {
      log: { info: keep, warn: keep, error: keep },
      pauseMs: 20,
    })
    await waitFor(() => expect(lines).toHaveLength(1))
    await server.start()
    await (await opening).close()
    expect(lines).toEqual([
      expect.stringContaining('It is waited for; sites go on meanwhile.'),
      expect.stringContaining('answers'),
    ])
  })
})
