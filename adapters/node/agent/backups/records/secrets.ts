import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { conflict } from '#handlers/errors.ts'
import type { ArchiveKey } from './archive-keys.ts'

/** The member that holds what only the key opens. */
export const SEALED = 'secrets.sealed'

const secretsSchema = z.object({
  panel: z.object({
    password_hash: z.string().max(1024),
    second_factor: z.string().max(256).nullable(),
  }),
  /** As in shadow(5); null: the system user had none, e.g. without root. */
  system_password_hash: z.string().max(500).nullable(),
  /** PEM, by name of the site. */
  certificate_keys: z.record(z.string().max(253), z.string().max(100_000)),
})

/** What lies in an archive sealed: its reader is not always its account, nor the account's user its owner. */
export type ArchiveSecrets = z.output<typeof secretsSchema>

/** The bytes of the member and the vector that opens them with the key. */
export const sealSecrets = (
  secrets: ArchiveSecrets,
  key: ArchiveKey,
): { bytes: Buffer; iv: string } => {
  const iv = randomBytes(16)
  return { bytes: key.seal(Buffer.from(JSON.stringify(secrets)), iv), iv: iv.toString('hex') }
}

/** To be asked for once a proof with the same key stands: the cipher itself proves nothing. */
export const unsealSecrets = (bytes: Buffer, iv: string, key: ArchiveKey): ArchiveSecrets => {
  try {
    const text = key.unseal(bytes, Buffer.from(iv, 'hex')).toString('utf8')
    return secretsSchema.parse(JSON.parse(text))
  } catch {
    throw conflict('The archive is refused: what is sealed in it cannot be read.')
  }
}
