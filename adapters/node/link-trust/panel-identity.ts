import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import type { LinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { linkCertificate, linkId } from '#adapters/shared/host-rpc/link/trust-list.ts'
import type { TrustedPanel } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { randomId } from '#handlers/domain/access/random-id.ts'
import { writeWhole } from '../layout/write-whole.ts'

/** What this panel instance is at links. */
export interface PanelIdentity {
  /** As hosts know it. */
  entry: TrustedPanel
  tls: LinkCertificate
  /** Ed25519, usage `sign`. */
  signingKey: CryptoKey
  /** The same as a private JWK. */
  secret: { kty: 'OKP'; crv: 'Ed25519'; x: string; d: string }
}

const ID_DIGITS = 12
const fileSchema = z.strictObject({
  v: z.literal(1),
  id: linkId,
  certificate: linkCertificate,
  key: z.string().max(4096),
  /** Private Ed25519 key. */
  signing: z.strictObject({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string().length(43),
    d: z.string().length(43),
  }),
})

const created = async (): Promise<z.input<typeof fileSchema>> => {
  const id = `panel-${randomId().slice(0, ID_DIGITS)}`
  const keys = (await crypto.subtle.generateKey('Ed25519', true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const { x = '', d = '' } = await crypto.subtle.exportKey('jwk', keys.privateKey)
  const { key, certificate } = await createLinkCertificate(id, 'client')
  return { v: 1, id, certificate, key, signing: { kty: 'OKP', crv: 'Ed25519', x, d } }
}

const fileOf = (directory: string): string => join(directory, 'link.json')

/** Whether this panel has keys already. */
export const hasPanelIdentity = (directory: string): boolean => existsSync(fileOf(directory))

/**
 * Keys and certificate of this panel, made when they are first needed, in a file that its user alone
 * can read and that goes nowhere. A file that cannot be read is an error: another identity would be a stranger to all hosts.
 */
export const openPanelIdentity = async (directory: string): Promise<PanelIdentity> => {
  const file = fileOf(directory)
  if (!existsSync(file)) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    writeWhole(file, `${JSON.stringify(await created())}\n`, { mode: 0o600 })
  }
  const { id, certificate, key, signing } = fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  return {
    entry: { id, certificate, key: signing.x },
    tls: { key, certificate },
    secret: signing,
    signingKey: await crypto.subtle.importKey('jwk', signing, 'Ed25519', false, ['sign']),
  }
}
