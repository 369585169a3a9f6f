import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createHostLinks } from '#adapters/node/panel/hosts/host-links.ts'
import { parseJoinToken, proveJoined } from '#adapters/shared/host-rpc/link/join-token.ts'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import type { LinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { randomId } from '#handlers/domain/access/random-id.ts'

const HOST = { link_id: 'host-5', role: 'host' } as const
let directory: string
const closing: (() => void)[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-meeting-'))
})
afterEach(() => {
  for (const close of closing.splice(0)) close()
  rmSync(directory, { recursive: true, force: true })
})

/** Something at the host's address that shows `tls` and answers `joined` to that question. */
const listenAs = async (tls: LinkCertificate, joined: unknown): Promise<string> => {
  const server = createServer(
    { key: tls.key, cert: tls.certificate, minVersion: 'TLSv1.3' },
    (incoming, outgoing) => {
      incoming.resume()
      const data = incoming.url === '/session' ? { session: randomId() } : joined
      outgoing.end(
        JSON.stringify({ ok: true, data: incoming.url === '/system/info' ? null : data }),
      )
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `127.0.0.1:${String((server.address() as AddressInfo).port)}`
}
const invite = async () => {
  const links = createHostLinks(directory)
  const { token, joinKey } = await links.invite(HOST)
  const { seed } = await parseJoinToken(token)
  const own = await createLinkCertificate('host-5', 'server')
  const proof = await proveJoined(seed, 'host-5', own.certificate)
  const meet = (address: string) => links.meet({ link_id: 'host-5', address, joinKey })
  return { links, seed, own, proof, meet, joinKey }
}
const UNPROVED = { status: 503, message: expect.stringContaining('does not prove') as unknown }

it('a machine that has the proof, and shows the certificate that it proves, is called once more', async () => {
  const { own, proof, meet } = await invite()
  const address = await listenAs(own, { certificate: own.certificate, proof })
  // This one then answers nonsense: it was believed so far, and is not open all the same.
  await expect(meet(address)).rejects.toThrow(/system\/info cannot be used/)
})

it('whoever passes on what the machine says shows another certificate, and is refused', async () => {
  const { own, proof, meet } = await invite()
  const between = await createLinkCertificate('host-5', 'server')
  const address = await listenAs(between, { certificate: own.certificate, proof })
  await expect(meet(address)).rejects.toMatchObject(UNPROVED)
})

it('whoever has no token, or that of another machine, is refused', async () => {
  const { seed, own, meet, links } = await invite()
  const other = await parseJoinToken((await links.invite(HOST)).token)
  const { certificate } = own
  for (const joined of [
    null,
    {},
    { certificate, proof: 'A'.repeat(86) },
    { certificate, proof: await proveJoined(other.seed, 'host-5', certificate) },
    { certificate, proof: await proveJoined(seed, 'host-6', certificate) },
    { certificate: `${certificate}\n${certificate}`, proof: 'A'.repeat(86) },
    { certificate: 'x'.repeat(2 ** 20), proof: 'A'.repeat(86) },
  ])
    await expect(meet(await listenAs(own, joined))).rejects.toMatchObject(UNPROVED)
})

it('a certificate that more could be made of than this host is refused, also with a proof', async () => {
  const { seed, meet } = await invite()
  for (const wrong of [
    await createLinkCertificate('host-5', 'client'),
    await createLinkCertificate('host-6', 'server'),
  ]) {
    const proof = await proveJoined(seed, 'host-5', wrong.certificate)
    const address = await listenAs(wrong, { certificate: wrong.certificate, proof })
    await expect(meet(address)).rejects.toMatchObject(UNPROVED)
  }
})

it('a panel keeps who it is, to itself, and becomes nobody else where that cannot be read', async () => {
  const { links } = await invite()
  const file = join(directory, 'link.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = readFileSync(file, 'utf8')
  const signerOf = async (token: string) => (await parseJoinToken(token)).signed.signer
  const first = await signerOf((await links.invite(HOST)).token)
  expect(await signerOf((await createHostLinks(directory).invite(HOST)).token)).toBe(first)
  expect(readFileSync(file, 'utf8')).toBe(before)
  writeFileSync(file, '{}')
  await expect(createHostLinks(directory).invite(HOST)).rejects.toThrow()
  expect(readFileSync(file, 'utf8')).toBe('{}')
})
