import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { mkdtempSync } from 'node:fs'
import { request } from 'node:http'
import type { ClientRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinByToken } from '#adapters/node/link-trust/join.ts'
import { trustFile } from '#adapters/node/link-trust/trust-file.ts'
import { bindControlSocket } from '#adapters/node/process/bind-control-socket.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { unixFetch } from '#adapters/node/process/unix-fetch.ts'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { createSignedSend } from '#adapters/shared/host-rpc/link/signed-send.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { createLinkInstance, createTestPanel } from './link-instance.ts'
import type { LinkInstance } from './link-instance.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

interface LinkKey {
  host: string
  panel: string
  signing: JsonWebKey
}

let instance: LinkInstance
let kept: string
let said: string
let secret: LinkKey
let socket: ReturnType<typeof bindControlSocket>
let path: string

beforeAll(async () => {
  instance = await createLinkInstance()
  kept = mkdtempSync(join(tmpdir(), 'berth-edge-'))
  const script = join(ROOT, 'scripts/edge/enrol-host.ts')
  const made = await runCommand(process.execPath, [script, '--directory', kept])
  expect(made.stderr).toBe('')
  said = made.stdout
  const file = readdirSync(kept).find((name) => name.startsWith('host-')) ?? ''
  expect(statSync(join(kept, file)).mode & 0o777).toBe(0o600)
  secret = JSON.parse(readFileSync(join(kept, file), 'utf8')) as LinkKey
  path = join(instance.agent.at('run'), 'link-tunnel.sock')
  socket = bindControlSocket(path, null, 0o600)
})
afterAll(async () => {
  socket?.close()
  await instance?.dispose()
  rmSync(kept, { recursive: true, force: true })
})

/** As the Worker asks, whose binding is the other end of the tunnel. */
const workerWith = async ({ host, panel, signing }: LinkKey) => {
  const key = await crypto.subtle.importKey('jwk', signing, 'Ed25519', false, ['sign'])
  return createHostClient(createSignedSend({ host, panel, key, send: unixFetch(path) }))
}

it('a machine that joined by the printed token answers the Worker through a tunnel, and nobody else', async () => {
  const token = /berth-join-1\.\S+/.exec(said)?.[0] ?? ''
  expect(said).not.toContain(String(secret.signing.d))
  await joinByToken(instance.directory, token, null)
  await instance.agent.start()
  await instance.startLink(socket.fd)
  const worker = await workerWith(secret)
  expect((await worker.system.info()).hostname).not.toBe('')
  expect(await worker.users.list()).toEqual([])

  const { privateKey } = (await crypto.subtle.generateKey('Ed25519', true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const stranger = await workerWith({
    ...secret,
    signing: await crypto.subtle.exportKey('jwk', privateKey),
  })
  await expect(stranger.system.info()).rejects.toThrow(/does not take calls/)
  const unsigned = await unixFetch(path)(
    new Request('https://host/system/info', { method: 'POST', body: '{}' }),
  )
  expect(unsigned.status).toBe(401)
})

it('refuses what is no call, and everything once nobody is trusted', async () => {
  const odd = await unixFetch(path)(new Request('https://host/../etc/passwd', { method: 'POST' }))
  expect(odd.status).toBeGreaterThanOrEqual(400)
  const tooLarge = await new Promise<number | string>((done) => {
    const asked = request(
      {
        ...{ socketPath: path, method: 'POST', path: '/system/info' },
        headers: { 'content-length': String(64 * 2 ** 20) },
      },
      (answer) => done(answer.statusCode ?? 0),
    )
    asked.on('error', (error) => done(String(error)))
    asked.flushHeaders()
  })
  expect(tooLarge).toBe(413)
  rmSync(trustFile(instance.directory))
  const worker = await workerWith(secret)
  await expect(worker.system.info()).rejects.toThrow()
})

it('strangers at a tunnel take no room from bodies of panels that show themselves', async () => {
  const other = await createLinkInstance()
  const at = join(other.agent.at('run'), 'link-tunnel.sock')
  const bound = bindControlSocket(at, null, 0o600)
  const strangers: ClientRequest[] = []
  try {
    const panel = await createTestPanel('panel-a')
    other.trust([panel])
    await other.agent.start()
    await other.startLink(bound.fd)
    for (let count = 0; count < 8; count += 1) {
      const asking = request({
        ...{ socketPath: at, method: 'POST', path: '/system/info', agent: false },
        headers: { 'content-length': String(8 * 2 ** 20) },
      })
      asking.on('error', () => undefined)
      asking.flushHeaders()
      strangers.push(asking)
    }
    const ask = (): Promise<Response> =>
      unixFetch(at)(new Request('https://host/system/info', { method: 'POST', body: '{}' }))
    await waitFor(async () => expect((await ask()).status).toBe(503))
    expect((await other.clientOf(panel).system.info()).hostname).not.toBe('')
  } finally {
    for (const asking of strangers) asking.destroy()
    bound.close()
    await other.dispose()
  }
})
