import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { forgetPanel, joinByToken, readProofOfJoining } from '#adapters/node/link-trust/join.ts'
import { readTrust, trustFile } from '#adapters/node/link-trust/trust-file.ts'
import {
  createJoinToken,
  isProofOfJoining,
  parseJoinToken,
} from '#adapters/shared/host-rpc/link/join-token.ts'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { signTrustList } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { fromBase64Url, toBase64Url } from '#handlers/domain/text/base64-url.ts'
import { createTestPanel } from '#test/node/link/link-instance.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-join-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const invite = async (id = 'panel-1') => {
  const panel = await createTestPanel(id)
  const list = { v: 1, host: 'host-7', role: 'host', version: 1, panels: [panel.entry] } as const
  const signed = await signTrustList({ ...list, panels: [panel.entry] }, id, panel.key)
  return { panel, signed, ...(await createJoinToken(signed)) }
}
const content = (token: string): Record<string, string> =>
  JSON.parse(new TextDecoder().decode(fromBase64Url(token.replace('berth-join-1.', '')))) as Record<
    string,
    string
  >
const made = (of: object): string =>
  `berth-join-1.${toBase64Url(new TextEncoder().encode(JSON.stringify(of)))}`

it('a token makes a machine obey the panel that gave it out, and prove that it was given it', async () => {
  const { panel, token, publicKey } = await invite()
  expect(token.length).toBeLessThan(4000)
  await joinByToken(directory, `${token}\n`, null)
  expect(readTrust(directory)).toMatchObject({
    list: { host: 'host-7', panels: [panel.entry] },
    forgotten: [],
  })
  const shown = readProofOfJoining(directory)
  if (shown === null) throw new Error('nothing is shown')
  const proves = (key: string, proof: string, host: string, certificate: string) =>
    isProofOfJoining(key, proof, host, certificate)
  expect(await proves(publicKey, shown.proof, 'host-7', shown.certificate)).toBe(true)
  const other = await invite()
  expect(await proves(other.publicKey, shown.proof, 'host-7', shown.certificate)).toBe(false)
  expect(await proves(publicKey, shown.proof, 'host-8', shown.certificate)).toBe(false)
  const { certificate } = await createLinkCertificate('host-7', 'server')
  expect(await proves(publicKey, shown.proof, 'host-7', certificate)).toBe(false)
  // The secret itself stands in no file, and its public part is none.
  const { seed = '' } = content(token)
  for (const name of ['trust.json', 'joined.json', 'own.pem']) {
    const file = join(directory, name)
    expect(readFileSync(file, 'utf8')).not.toContain(seed)
    expect(statSync(file).mode & 0o077).toBe(0)
  }
  expect(publicKey).not.toBe(seed)
})

it('a token that was changed, cut off or made by somebody else joins nothing', async () => {
  const { token, signed } = await invite()
  const all = content(token)
  const stranger = await createTestPanel('panel-1')
  const forged = await signTrustList(
    { ...(await parseJoinToken(token)).list },
    'panel-1',
    stranger.key,
  )
  const list = signed.list.replace('host-7', 'host-8')
  for (const bad of [
    '',
    token.slice(0, -1),
    token.slice(0, 200),
    token.replace('join-1', 'join-2'),
    made({ ...all, list }),
    made({ ...all, more: 1 }),
    made({ ...all, signer: 'panel-2' }),
    made({ ...all, ...forged }),
    made({ ...all, seed: 'short' }),
  ])
    await expect(joinByToken(directory, bad, null), bad.slice(0, 40)).rejects.toThrow(/refused/)
  expect(existsSync(trustFile(directory))).toBe(false)
})

it('a machine that obeys a panel joins no other until that one is forgotten', async () => {
  const { token } = await invite()
  await joinByToken(directory, token, null)
  const other = await invite('panel-2')
  await expect(joinByToken(directory, other.token, null)).rejects.toThrow(/obeys panel-1 already/)
  await expect(joinByToken(directory, token, null)).rejects.toThrow(/already/)
  expect(() => forgetPanel(directory, 'panel-2', null)).toThrow(/no panel panel-2/)
  expect(forgetPanel(directory, 'panel-1', null)).toMatchObject({
    list: { panels: [] },
    forgotten: ['panel-1'],
  })
  await joinByToken(directory, other.token, null)
  expect(readTrust(directory)).toMatchObject({ forgotten: ['panel-1'] })
})
