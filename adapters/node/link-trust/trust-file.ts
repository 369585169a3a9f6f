import { createPublicKey, X509Certificate } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { linkName } from '#adapters/shared/host-rpc/link/link-name.ts'
import { linkId, parseTrustList } from '#adapters/shared/host-rpc/link/trust-list.ts'
import type { TrustedPanel, TrustList } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { isForgotten } from '#handlers/domain/hosts/panel-family.ts'
import { writeWhole } from '../layout/write-whole.ts'
import { fileStamp, modes } from './link-file.ts'
import type { Reader } from './link-file.ts'

export { linkDirectory } from '../layout/link-directory.ts'

/** Which panels this machine obeys. */
export const trustFile = (directory: string): string => join(directory, 'trust.json')

const MAX_FORGOTTEN = 1000
const MAX_FILE_BYTES = 512 * 1024

const fileSchema = z.strictObject({
  v: z.literal(1),
  /** JSON of the list. */
  list: z.string(),
  /** Panels that root here forgot, which no list brings back. */
  forgotten: z.array(linkId).max(MAX_FORGOTTEN),
})

/** The list that counts here, and who is never to be in one again. */
export interface HeldTrust {
  list: TrustList
  forgotten: string[]
}

const PURPOSES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const

/** Throws where a certificate is not one of the link: a leaf of that id for that use, and for nothing else. */
export const judgeCertificate = (
  id: string,
  certificate: string,
  use: keyof typeof PURPOSES,
): void => {
  const read = new X509Certificate(certificate)
  const { asymmetricKeyType, asymmetricKeyDetails } = read.publicKey
  const sound =
    !read.ca &&
    read.keyUsage?.length === 1 &&
    read.keyUsage[0] === PURPOSES[use] &&
    read.subjectAltName === `DNS:${linkName(id)}` &&
    asymmetricKeyType === 'ec' &&
    asymmetricKeyDetails?.namedCurve === 'prime256v1' &&
    read.verify(read.publicKey)
  if (!sound) throw new Error(`the certificate of ${id} is not one of a ${use} at the link`)
}

const judged = ({ id, certificate, key }: TrustedPanel): void => {
  judgeCertificate(id, certificate, 'client')
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' })
}

/** Throws with the first thing that is wrong with the certificates and keys of a list. */
export const judgeTrustList = (list: TrustList): void => list.panels.forEach(judged)

/** Null where this machine has never joined. Throws when the file cannot be read or is not sound: then nobody is trusted. */
export const readTrust = (directory: string): HeldTrust | null => {
  const file = trustFile(directory)
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return null
  if (!stat.isFile() || stat.size > MAX_FILE_BYTES) throw new Error(`${file} is not a trust list`)
  const { list: text, forgotten } = fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  const list = parseTrustList(text)
  judgeTrustList(list)
  return {
    list: { ...list, panels: list.panels.filter(({ id }) => !isForgotten(forgotten, id)) },
    forgotten,
  }
}

/** Replaces the list. */
export const writeTrust = (directory: string, trust: HeldTrust, reader: Reader): void => {
  const { list, forgotten } = trust
  const content = fileSchema.parse({ v: 1, list: JSON.stringify(list), forgotten })
  writeWhole(trustFile(directory), `${JSON.stringify(content)}\n`, modes(reader))
}

/** What tells one state of the file from another; empty where there is none. */
export const stampOf = (directory: string): string => fileStamp(trustFile(directory))
