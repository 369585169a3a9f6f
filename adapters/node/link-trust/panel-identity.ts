import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import type { LinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { linkCertificate, linkId } from '#adapters/shared/host-rpc/link/trust-list.ts'
import type { TrustedPanel } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { randomId } from '#handlers/domain/access/random-id.ts'
import { nextIdOf } from '#handlers/domain/hosts/panel-family.ts'
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
  /** Version of the list that named it first; 0: it is the first of this panel, null: none did yet. */
  since: number | null
}

/** Keys of this panel: those that it uses, those that come next, and former ones that a host may still know it by. */
export interface PanelKeys {
  /** The newest first; none before a machine was invited. */
  all(): Promise<PanelIdentity[]>
  /** The newest that hosts may know; made where there is none. */
  current(): Promise<PanelIdentity>
  /** The next ones, under another id; those that were prepared before where no list named them yet. */
  prepare(): Promise<PanelIdentity>
  /** A list of that version named them. */
  named(id: string, version: number): void
  /** Forgets former ones for good. The current ones stay. */
  drop(ids: readonly string[]): void
}

const ID_DIGITS = 12
const keysSchema = z.strictObject({
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
type Keys = z.output<typeof keysSchema> & { since: number | null }
const fileSchema = z.union([
  // As it was before keys were changed.
  keysSchema.extend({ v: z.literal(1) }),
  z.strictObject({
    v: z.literal(2),
    keys: z
      .array(keysSchema.extend({ since: z.int().min(0).nullable() }))
      .min(1)
      .max(100),
  }),
])

const created = async (id: string, since: number | null): Promise<Keys> => {
  const keys = (await crypto.subtle.generateKey('Ed25519', true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const { x = '', d = '' } = await crypto.subtle.exportKey('jwk', keys.privateKey)
  const { key, certificate } = await createLinkCertificate(id, 'client')
  return { id, certificate, key, signing: { kty: 'OKP', crv: 'Ed25519', x, d }, since }
}

const fileOf = (directory: string): string => join(directory, 'link.json')

const readKeys = (directory: string): Keys[] => {
  const file = fileOf(directory)
  if (!existsSync(file)) return []
  const read = fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  if (read.v === 2) return read.keys
  const { id, certificate, key, signing } = read
  return [{ id, certificate, key, signing, since: 0 }]
}

const writeKeys = (directory: string, keys: readonly Keys[]): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeWhole(fileOf(directory), `${JSON.stringify({ v: 2, keys })}\n`, { mode: 0o600 })
}

const identityOf = async ({
  id,
  certificate,
  key,
  signing,
  since,
}: Keys): Promise<PanelIdentity> => ({
  entry: { id, certificate, key: signing.x },
  tls: { key, certificate },
  secret: signing,
  signingKey: await crypto.subtle.importKey('jwk', signing, 'Ed25519', false, ['sign']),
  since,
})

/**
 * Keys and certificates of this panel, made when they are first needed, in a file that its user alone can read and
 * that goes nowhere. A file that cannot be read is an error: another identity would be a stranger to all hosts.
 */
export const openPanelKeys = (directory: string): PanelKeys => {
  let known: { keys: Keys[]; identities: Promise<PanelIdentity[]> } | null = null
  const held = (): NonNullable<typeof known> => {
    if (known !== null) return known
    const keys = readKeys(directory)
    // Others may make the first ones, as "berth panel join" does.
    if (keys.length === 0) return { keys, identities: Promise.resolve([]) }
    return (known = { keys, identities: Promise.all(keys.map(identityOf)) })
  }
  const write = (keys: Keys[]): void => {
    writeKeys(directory, keys)
    known = null
  }
  let making: Promise<unknown> = Promise.resolve()
  /** One after the other: none are made twice. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = making.then(work)
    making = next.catch(() => undefined)
    return next
  }
  const newestNamed = async (): Promise<PanelIdentity | undefined> =>
    (await held().identities).find(({ since }) => since !== null)
  return {
    all: () => held().identities,
    current: async () =>
      (await newestNamed()) ??
      inTurn(async () => {
        if (held().keys.length === 0)
          write([await created(`panel-${randomId().slice(0, ID_DIGITS)}`, 0)])
        const made = await newestNamed()
        if (made === undefined) throw new Error('this panel has no keys that any host knows')
        return made
      }),
    prepare: () =>
      inTurn(async () => {
        const { keys } = held()
        const [newest] = keys
        if (newest === undefined) throw new Error('there are no keys before them')
        if (newest.since !== null) write([await created(nextIdOf(newest.id), null), ...keys])
        const [prepared] = await held().identities
        if (prepared === undefined) throw new Error('they were just made')
        return prepared
      }),
    named(id, version) {
      const { keys } = held()
      if (keys.some((one) => one.id === id && one.since !== version))
        write(keys.map((one) => (one.id === id ? { ...one, since: version } : one)))
    },
    drop(ids) {
      const { keys } = held()
      const current = keys.findIndex(({ since }) => since !== null)
      const left = keys.filter(({ id }, at) => at <= current || !ids.includes(id))
      if (left.length < keys.length) write(left)
    },
  }
}

/** The keys that this panel uses; see `openPanelKeys`. */
export const openPanelIdentity = (directory: string): Promise<PanelIdentity> =>
  openPanelKeys(directory).current()
