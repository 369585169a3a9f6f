import { X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { toBase64Url } from '#handlers/domain/text/base64-url.ts'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import {
  nextTrustList,
  parseSignedTrustList,
  parseTrustList,
  signTrustList,
} from '#adapters/shared/host-rpc/link/trust-list.ts'
import type { TrustedPanel, TrustList } from '#adapters/shared/host-rpc/link/trust-list.ts'

interface Panel {
  entry: TrustedPanel
  key: CryptoKey
}
const newPanel = async (id: string): Promise<Panel> => {
  const keys = (await crypto.subtle.generateKey('Ed25519', true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey))
  const { certificate } = await createLinkCertificate(id, 'client')
  return { entry: { id, certificate, key: toBase64Url(raw) }, key: keys.privateKey }
}

let one: Panel
let two: Panel
beforeAll(async () => {
  one = await newPanel('panel-1')
  two = await newPanel('panel-2')
})
const listOf = (version: number, panels: Panel[], change: Partial<TrustList> = {}): TrustList => ({
  ...{ v: 1, host: 'host-1', role: 'host', version },
  panels: panels.map(({ entry }) => entry),
  ...change,
})

describe('a trust list', () => {
  it('is followed by a newer one that a panel of it signed', async () => {
    const current = listOf(1, [one])
    const next = listOf(2, [one, two])
    const signed = await signTrustList(next, 'panel-1', one.key)
    const sent = parseSignedTrustList(JSON.stringify(signed))
    expect(await nextTrustList(current, sent)).toEqual(next)
    // Then also of one that the new panel signed, without the old one.
    const last = listOf(7, [two])
    expect(await nextTrustList(next, await signTrustList(last, 'panel-2', two.key))).toEqual(last)
  })

  it('is not followed by what a stranger, or a panel under another name, signed', async () => {
    const current = listOf(1, [one])
    const next = listOf(2, [one, two])
    const refused = async (signer: string, key: CryptoKey): Promise<void> => {
      const signed = await signTrustList(next, signer, key)
      await expect(nextTrustList(current, signed)).rejects.toThrow(/refused/)
    }
    await refused('panel-2', two.key)
    await refused('panel-1', two.key)
    const signed = await signTrustList(next, 'panel-1', one.key)
    const changed = { ...signed, list: signed.list.replace('"version":2', '"version":3') }
    await expect(nextTrustList(current, changed)).rejects.toThrow(/signature is wrong/)
  })

  it('is not followed by an older or equal one, one of another host or role, or an empty one', async () => {
    const current = listOf(5, [one])
    for (const next of [
      listOf(5, [one, two]),
      listOf(4, [one, two]),
      listOf(6, [one], { host: 'host-2' }),
      listOf(6, [one], { role: 'front' }),
      listOf(6, []),
    ])
      await expect(
        nextTrustList(current, await signTrustList(next, 'panel-1', one.key)),
      ).rejects.toThrow(/refused/)
  })

  it('never brings back a panel that root at the host forgot', async () => {
    const current = listOf(5, [one])
    const next = await signTrustList(listOf(6, [one, two]), 'panel-1', one.key)
    expect((await nextTrustList(current, next, ['panel-2'])).panels).toEqual([one.entry])
    const alone = await signTrustList(listOf(6, [two]), 'panel-1', one.key)
    await expect(nextTrustList(current, alone, ['panel-2'])).rejects.toThrow(/no panel/)
  })

  it('never brings back a panel that root at the host forgot by other keys of it', async () => {
    const family = 'panel-0123456789ab'
    const later = await newPanel(`${family}-3`)
    const current = listOf(5, [one])
    const next = await signTrustList(listOf(6, [one, later]), 'panel-1', one.key)
    for (const forgotten of [family, `${family}-2`, `${family}-4`])
      expect((await nextTrustList(current, next, [forgotten])).panels).toEqual([one.entry])
    for (const other of ['panel-0123456789ac', `${family}-`, 'panel-0123456789'])
      expect((await nextTrustList(current, next, [other])).panels).toHaveLength(2)
  })

  it('is followed by none whose version would use up those that are left', async () => {
    const current = listOf(5, [one])
    const signed = (version: number) => signTrustList(listOf(version, [one]), 'panel-1', one.key)
    expect((await nextTrustList(current, await signed(10_005))).version).toBe(10_005)
    for (const version of [200_000, Number.MAX_SAFE_INTEGER])
      await expect(nextTrustList(current, await signed(version))).rejects.toThrow(/too far/)
  })

  it('is not read from anything else', () => {
    const good = listOf(1, [one])
    expect(parseTrustList(JSON.stringify(good))).toEqual(good)
    for (const bad of [
      { ...good, v: 2 },
      { ...good, more: 1 },
      { ...good, version: 0 },
      { ...good, panels: [one.entry, one.entry] },
      { ...good, panels: [{ ...one.entry, key: 'AAAA' }] },
      { ...good, panels: [{ ...one.entry, certificate: `${one.entry.certificate}-----` }] },
      { ...good, panels: [{ ...one.entry, id: '../panel' }] },
      { ...good, panels: Array.from({ length: 17 }, (_, n) => ({ ...one.entry, id: `p${n}` })) },
    ])
      expect(() => parseTrustList(JSON.stringify(bad))).toThrow(/not one/)
    expect(() => parseTrustList('')).toThrow(/not one/)
    expect(() => parseTrustList(' '.repeat(70_000))).toThrow(/too large/)
  })
})

describe('a certificate of the link', () => {
  it('is a leaf for one use, of two years that began yesterday', async () => {
    for (const [use, purpose] of [
      ['server', '1.3.6.1.5.5.7.3.1'],
      ['client', '1.3.6.1.5.5.7.3.2'],
    ] as const) {
      const { certificate, key } = await createLinkCertificate('host-1', use)
      const read = new X509Certificate(certificate)
      expect(read.ca).toBe(false)
      expect(read.keyUsage).toEqual([purpose])
      expect(read.subjectAltName).toBe('DNS:host-1.berth.internal')
      expect(read.verify(read.publicKey)).toBe(true)
      expect(read.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
      const days = (Date.parse(read.validTo) - Date.parse(read.validFrom)) / 86_400_000
      expect(days).toBe(730)
      expect(Date.parse(read.validFrom)).toBeLessThan(Date.now() - 86_000_000)
      expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    }
  })
})
