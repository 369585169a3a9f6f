import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTarget } from '#adapters/node/agent/backups/remote/open-target.ts'
import { createS3Store } from '#adapters/node/agent/backups/remote/s3-store.ts'
import {
  configuredTarget,
  mergeTargets,
  panelTarget,
  shownTarget,
} from '#adapters/node/agent/backups/targets/known-target.ts'
import { readServerKey } from '#adapters/node/agent/backups/remote/sftp-connect.ts'
import { createTargetFiles } from '#adapters/node/agent/backups/targets/target-files.ts'
import { createTargetsPort } from '#adapters/node/agent/backups/targets/targets-port.ts'
import { createKeyedMutex } from '#adapters/node/agent/keyed-mutex.ts'
import { checkReach } from '#adapters/node/agent/backups/remote/target-reach.ts'
import type { RemoteTargetConfig } from '#handlers/domain/config/config-types.ts'
import type { TargetSecret, TargetSettings } from '#handlers/ports/host/backups/targets.ts'
import { NO_TARGET, targetsPortContract } from '#test/contract/backups/targets-port.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startS3Server } from '#test/support/recovery/s3-server.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { startSftpServer } from './sftp-server.ts'

/** The port over files in a directory, a configuration and real servers. */
const makeTargets = async (mayBeLocal = true) => {
  const directory = path.join(temporaryDirectory('btargets-'), 'targets')
  const s3 = await startS3Server('backups', true)
  const sftp = await startSftpServer()
  const secretFile = path.join(path.dirname(directory), 'secret')
  await writeFile(secretFile, s3.secretKey, { mode: 0o600 })
  const settings: TargetSettings = {
    ...NO_TARGET,
    name: 'bucket',
    endpoint: s3.endpoint,
    bucket: s3.bucket,
    path: 'berth',
    access_key_id: s3.accessKeyId,
    allow_private: true,
  }
  const box: TargetSettings = {
    ...NO_TARGET,
    name: 'box',
    type: 'sftp',
    endpoint: `127.0.0.1:${sftp.port}`,
    username: 'root',
    path: sftp.directory,
    host_key: sftp.fingerprint,
    allow_private: true,
  }
  const fixed: RemoteTargetConfig = {
    ...settings,
    name: 'fixed',
    secret_key_file: secretFile,
    password_file: null,
    private_key_file: null,
  }
  const files = createTargetFiles(directory)
  const known = () =>
    mergeTargets(
      [fixed],
      files.list().map((target) => panelTarget(target, mayBeLocal)),
    )
  const [deadPort = 0] = await freePorts(1)
  return {
    directory,
    files,
    s3,
    targets: createTargetsPort({ files, known, mayBeLocal, lock: createKeyedMutex() }),
    list: async () => known().map(shownTarget),
    known,
    good: {
      s3: [settings, { kind: 'secret_key', value: s3.secretKey }] as [TargetSettings, TargetSecret],
      sftp: [box, { kind: 'private_key', value: await readFile(sftp.privateKeyFile, 'utf8') }] as [
        TargetSettings,
        TargetSecret,
      ],
    },
    deadEndpoint: `http://127.0.0.1:${deadPort}`,
    configured: 'fixed',
    async dispose() {
      await sftp.dispose()
      await s3.dispose()
    },
  }
}

targetsPortContract('the host', () => makeTargets())

describe('targets of the panel', () => {
  let host: Awaited<ReturnType<typeof makeTargets>>
  beforeAll(async () => {
    host = await makeTargets()
  })
  afterAll(() => host?.dispose())

  it('lie in files of root, and outlive the agent', async () => {
    const [settings, secret] = host.good.s3
    await host.targets.save({ settings, secret, isNew: true })
    expect((await stat(host.directory)).mode & 0o777).toBe(0o700)
    const names = (await readdir(host.directory)).sort()
    expect(names).toEqual([expect.stringMatching(/^bucket\.[0-9a-f]{16}\.secret$/), 'bucket.json'])
    for (const name of names)
      expect((await stat(path.join(host.directory, name))).mode & 0o777).toBe(0o600)
    expect(await readFile(path.join(host.directory, 'bucket.json'), 'utf8')).not.toContain(
      `"${host.s3.secretKey}\n`,
    )
    // One that a crash left behind goes with the next start.
    await writeFile(path.join(host.directory, `bucket.${'0'.repeat(16)}.secret`), 'left')
    const again = createTargetFiles(host.directory)
    expect(again.list()).toEqual(host.files.list())
    expect(await readdir(host.directory)).toHaveLength(2)
    await host.targets.remove({ name: 'bucket' })
    expect(await readdir(host.directory)).toEqual([])
  })

  it('leave no secret behind when a test fails', async () => {
    const [settings, secret] = host.good.s3
    for (const [change, why] of [
      [{ access_key_id: 'AKIANOBODY' }, /access key id|secret key/],
      [{ bucket: 'no-such-bucket' }, /no bucket of that name/],
      [{ endpoint: host.deadEndpoint }, /Nothing answers/],
      [{ endpoint: 'http://no-such-host.invalid' }, /cannot be resolved/],
    ] as const)
      await expect(
        host.targets.save({ settings: { ...settings, ...change }, secret, isNew: true }),
      ).rejects.toMatchObject({ status: 503, message: expect.stringMatching(why) })
    const [box] = host.good.sftp
    const wrong = { kind: 'password', value: 'wrong' } as const
    await expect(
      host.targets.save({ settings: box, secret: wrong, isNew: true }),
    ).rejects.toMatchObject({ status: 503, message: expect.stringMatching(/refuses this user/) })
    const key = { kind: 'private_key', value: '-----BEGIN PRIVATE KEY-----\nAAAA\n' } as const
    await expect(
      host.targets.save({ settings: box, secret: key, isNew: true }),
    ).rejects.toMatchObject({ status: 503, message: expect.stringMatching(/private key/) })
    expect(await readdir(host.directory)).toEqual([])
  })

  it('give way to a name and a default of the configuration', () => {
    const [fixed] = host.known()
    if (!fixed) throw new Error('no configured target')
    const own = panelTarget({ ...fixed, is_default: true }, false)
    const other = { ...own, name: 'other' }
    const merged = mergeTargets([{ ...fixed, is_default: true }], [own, other])
    expect(merged.map(({ name, source, is_default }) => [name, source, is_default])).toEqual([
      ['fixed', 'configuration', true],
      ['other', 'panel', false],
    ])
    expect(configuredTarget({ ...fixed, allow_private: false }).reach).toBe('elsewhere')
  })

  it.each(['bucket', 'box'])('%s lists its files, and nothing of folders', async (name) => {
    const [settings, secret] = name === 'bucket' ? host.good.s3 : host.good.sftp
    const shaped = { ...settings, name: `list-${name}` }
    await host.targets.save({ settings: shaped, secret, isNew: true })
    const store = openTarget(host.known(), shaped.name)
    expect(await store.list('')).toEqual([])
    const file = path.join(path.dirname(host.directory), 'file')
    await writeFile(file, 'four')
    const odd = 'a b+c.tar.gz'
    for (const one of ['b-1.tar.gz', 'a-2.tar.gz', 'c.txt', odd]) await store.put(one, file, 4)
    const below = openTarget(
      host.known().map((one) => ({ ...one, path: `${shaped.path ?? ''}/below` })),
      shaped.name,
    )
    await below.put('d.tar.gz', file, 4)
    expect(await store.list('')).toEqual(
      [odd, 'a-2.tar.gz', 'b-1.tar.gz', 'c.txt'].map((one) => ({ name: one, sizeBytes: 4 })),
    )
    expect((await store.list('a')).map((one) => one.name)).toEqual([odd, 'a-2.tar.gz'])
    const archives = await store.list('', (one) => one.endsWith('.tar.gz'))
    expect(archives).toHaveLength(3)
  })

  it('gives up one that says something now and then, and never all of it', async () => {
    const drip = async (begin: string) => {
      const server = createTcpServer((socket) => {
        socket.on('error', () => undefined)
        socket.write(begin)
        const timer = setInterval(() => socket.write('x'), 20)
        socket.on('close', () => clearInterval(timer))
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return { server, port: (server.address() as AddressInfo).port }
    }
    const late = /did not answer in time/
    const slow = [
      'HTTP/1.1 200 OK\r\nX-Never: ',
      'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n<ListBucketResult>',
      'HTTP/1.1 403 No\r\nContent-Length: 100000\r\n\r\n<Error>',
    ]
    for (const begin of slow) {
      const { server, port } = await drip(begin)
      const endpoint = `http://127.0.0.1:${port}`
      const targets = host.known().map((one) => ({ ...one, endpoint, reach: 'anywhere' as const }))
      const store = openTarget(targets, 'fixed', { idleMs: 10_000, endMs: 500 })
      await expect(store.list('')).rejects.toMatchObject({ status: 503 })
      await expect(store.list('')).rejects.toThrow(late)
      server.close()
    }
    const { server, port } = await drip('')
    const at = { host: '127.0.0.1', port, reach: 'anywhere' as const, endMs: 500 }
    const begunMs = performance.now()
    await expect(readServerKey(at)).rejects.toThrow()
    expect(performance.now() - begunMs).toBeLessThan(15_000)
    server.close()
  })
  it('goes through all pages of a bucket, up to a bound', async () => {
    const asked: (string | null)[] = []
    // The service of the other tests fails at its own second page (Node 24's createCipheriv).
    const server = createServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://s3').searchParams
      const token = query.get('continuation-token')
      asked.push(token)
      const page = Number(token ?? 0)
      const names = Array.from({ length: 1000 }, (_, n) => `a b/${page}-${n}.tar.gz`)
      const items = [...names, 'a b/below/x', 'else'].map(
        (key) => `<Contents><Key>${key}</Key><Size>7</Size></Contents>`,
      )
      response.end(
        `<ListBucketResult><IsTruncated>${page < 50}</IsTruncated><NextContinuationToken>${page + 1}</NextContinuationToken>${items.join('')}</ListBucketResult>`,
      )
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const access = {
      endpoint: `http://127.0.0.1:${port}`,
      bucket: 'backups',
      region: 'us-east-1',
      accessKeyId: 'a',
      secretAccessKey: 'b',
      reach: 'anywhere' as const,
    }
    const store = createS3Store('pages', access, 'a b')
    expect(await store.list('', (name) => name === '50-999.tar.gz')).toEqual([
      { name: '50-999.tar.gz', sizeBytes: 7 },
    ])
    expect(asked).toEqual([null, ...Array.from({ length: 50 }, (_, n) => String(n + 1))])
    expect(await store.list('')).toHaveLength(10_000)
    expect(asked).toHaveLength(51 + 10)
    server.close()
    await once(server, 'close')
  })
})

describe('where targets of the panel may lead', () => {
  it('never to this machine, its link, or what tells it secrets', async () => {
    const host = await makeTargets(false)
    const [settings, secret] = host.good.s3
    const named = settings.endpoint.replace('127.0.0.1', 'localhost')
    for (const allow_private of [true, false])
      for (const endpoint of [
        named.replace('http:', allow_private ? 'http:' : 'https:'),
        'https://127.0.0.1',
        'https://[::1]:9000',
        'https://0.0.0.0',
        'https://169.254.169.254',
        'https://2130706433',
        'https://0x7f.1',
        'https://[::ffff:127.0.0.1]',
      ]) {
        const changed = { ...settings, endpoint, allow_private }
        const refused = host.targets.save({ settings: changed, secret, isNew: true })
        await expect(refused, endpoint).rejects.toMatchObject({
          status: 503,
          message: expect.stringContaining('no target of the panel may be'),
        })
      }
    for (const allowPrivate of [true, false])
      await expect(
        host.targets.serverKey({ endpoint: host.good.sftp[0].endpoint, allowPrivate }),
      ).rejects.toMatchObject({ status: 503 })
    // The configuration's own may.
    await host.targets.test({ name: 'fixed' })
    await host.dispose()
  })

  it('judges addresses by what they are', () => {
    const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
    for (const { address } of own)
      for (const reach of ['networks', 'internet'] as const)
        expect(() => checkReach(address, reach), address).toThrow(/no target of the panel/)
    for (const address of ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254'])
      expect(() => checkReach(address, 'networks'), address).toThrow(/no target of the panel/)
    for (const address of ['10.9.8.7', '192.168.77.1', '100.64.0.9', 'fd12::9']) {
      expect(() => checkReach(address, 'networks'), address).not.toThrow()
      expect(() => checkReach(address, 'internet'), address).toThrow(/private network/)
    }
    for (const address of ['8.8.8.8', '2606:4700::1'])
      expect(() => checkReach(address, 'internet'), address).not.toThrow()
  })
})
