import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../../../layout/write-whole.ts'

/** Below `secrets_dir`, root's alone. */
const PROOF_FILE = 'recovery-proof.key'
const RECIPIENT_FILE = 'recovery-recipient.txt'
/** What comes before the raw key in an Ed25519 public key in DER (RFC 8410). */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const RAW_BYTES = 32

const rawPublic = (key: KeyObject): string =>
  createPublicKey(key)
    .export({ type: 'spki', format: 'der' })
    .subarray(-RAW_BYTES)
    .toString('base64url')

/** The key that exports of this machine are signed with, made when first asked for. */
const proofKey = (secretsDir: string): KeyObject => {
  const file = join(secretsDir, PROOF_FILE)
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeWhole(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  }
  return createPrivateKey(readFileSync(file))
}

/** Public half as it stands in the kit: base64url of the raw key. */
export const proofOf = (secretsDir: string): string => rawPublic(proofKey(secretsDir))

export const signManifest = (secretsDir: string, text: Uint8Array): string =>
  sign(null, text, proofKey(secretsDir)).toString('base64')

/** Whether the machine whose kit holds `proof` signed the text. */
export const isSignedBy = (proof: string, text: Uint8Array, signature: string): boolean => {
  const raw = Buffer.from(proof, 'base64url')
  const bytes = Buffer.from(signature.trim(), 'base64')
  if (raw.length !== RAW_BYTES || bytes.length !== 64) return false
  const key = createPublicKey({
    key: Buffer.concat([DER_PREFIX, raw]),
    format: 'der',
    type: 'spki',
  })
  return verify(null, text, key, bytes)
}

/** The public key that exports are closed for; null before a kit was made. */
export const readRecipient = (secretsDir: string): string | null => {
  const file = join(secretsDir, RECIPIENT_FILE)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}

export const writeRecipient = (secretsDir: string, recipient: string): void =>
  writeWhole(join(secretsDir, RECIPIENT_FILE), `${recipient}\n`, { mode: 0o600 })

/** Names a pair of keys in records that are no secret. */
export const fingerprintOf = (recipient: string, proof: string): string =>
  createHash('sha256').update(`${recipient} ${proof}`).digest('hex').slice(0, 16)
