import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import type { LinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { syncFile, writeWhole } from '../layout/write-whole.ts'
import { fingerprintOf } from './fingerprint-of.ts'
import { fileStamp, modes } from './link-file.ts'
import type { Reader } from './link-file.ts'

/** Key and certificate in one file, so that both change at once. */
const ownFile = (directory: string): string => join(directory, 'own.pem')
const nextFile = (directory: string): string => join(directory, 'own-next.pem')
/** As they lay before certificates were changed. */
const apart = (directory: string): [key: string, certificate: string] => [
  join(directory, 'key.pem'),
  join(directory, 'certificate.pem'),
]

const CERTIFICATE = '-----BEGIN CERTIFICATE-----'
const DAY_MS = 86_400_000

const splitPem = (text: string): LinkCertificate => {
  const at = text.indexOf(CERTIFICATE)
  if (at < 0) throw new Error('there is no certificate in the file')
  return { key: text.slice(0, at), certificate: text.slice(at) }
}

/** This machine's own key, which never leaves it, and certificate at the link. Throws where it has none. */
export const readOwnCertificate = (directory: string): LinkCertificate => {
  if (existsSync(ownFile(directory))) return splitPem(readFileSync(ownFile(directory), 'utf8'))
  const [key, certificate] = apart(directory).map((file) => readFileSync(file, 'utf8'))
  return { key: key ?? '', certificate: certificate ?? '' }
}

/** What tells one from the one after it. */
export const ownCertificateStamp = (directory: string): string =>
  fileStamp(ownFile(directory)) + fileStamp(apart(directory)[1])

/** Writes them; what was there before, or was to be used next, is gone. */
export const writeOwnCertificate = (
  directory: string,
  { key, certificate }: LinkCertificate,
  reader: Reader,
): void => {
  mkdirSync(directory, { recursive: true, mode: 0o750 })
  writeWhole(ownFile(directory), key + certificate, modes(reader))
  for (const file of [...apart(directory), nextFile(directory)]) rmSync(file, { force: true })
}

const readNext = (directory: string): LinkCertificate | null =>
  existsSync(nextFile(directory)) ? splitPem(readFileSync(nextFile(directory), 'utf8')) : null

/**
 * The certificate that is to follow, made with its key where there is none yet or it lay too long. It is not
 * used before somebody says so, so that whoever dials knows it then.
 */
export const prepareCertificate = async (
  directory: string,
  id: string,
  reader: Reader,
): Promise<string> => {
  const known = readNext(directory)
  if (
    known !== null &&
    // Certificates begin a day before they are made.
    Date.parse(new X509Certificate(known.certificate).validFrom) > Date.now() - 2 * DAY_MS
  )
    return known.certificate
  const made = await createLinkCertificate(id, 'server')
  writeWhole(nextFile(directory), made.key + made.certificate, modes(reader))
  return made.certificate
}

/** Uses the one that was prepared, by its digest, from now on. False: it is not there. True, too, where it is used already. */
export const usePreparedCertificate = (directory: string, digest: string): boolean => {
  if (fingerprintOf(readOwnCertificate(directory).certificate) === digest) return true
  const next = readNext(directory)
  if (next === null || fingerprintOf(next.certificate) !== digest) return false
  renameSync(nextFile(directory), ownFile(directory))
  syncFile(directory)
  for (const file of apart(directory)) rmSync(file, { force: true })
  return true
}
