import { z } from 'zod'
import { accountRecordSchema } from '#handlers/domain/backups/archived-record.ts'
import { conflict } from '#handlers/errors.ts'
import { SEALED } from './records/secrets.ts'

const username = z.string().regex(/^[a-z0-9]{3,16}$/)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const sizeBytes = z.number().int().positive()
const part = { size_bytes: sizeBytes, sha256 }

const dump = {
  engine: z.enum(['mariadb', 'mysql', 'postgresql']),
  database: z.string().regex(/^[a-z0-9_]{1,64}$/),
  file: z.string().max(200),
  ...part,
}

const secondVersion = z.object({
  version: z.literal(2),
  username,
  created_at: z.string().max(30),
  made_by: z.string().max(100).nullable(),
  uid: z.int().positive().nullable(),
  home: z
    .string()
    .max(4096)
    .regex(/^(?:\/[^/\0]+)+$/)
    .nullable(),
  record: accountRecordSchema.nullable(),
  databases: z
    .array(
      z.object({
        ...dump,
        user: z
          .string()
          .regex(/^[a-z0-9_]{1,64}$/)
          .nullable(),
        password_hash: z.string().max(500).nullable(),
      }),
    )
    .max(10_000),
  /** Further users of databases, with what each may do in which. Not in archives of before. */
  database_users: z
    .array(
      z.object({
        engine: z.enum(['mariadb', 'mysql', 'postgresql']),
        user: z.string().regex(/^[a-z0-9_]{1,64}$/),
        password_hash: z.string().max(500).nullable(),
        grants: z
          .array(
            z.object({
              database: z.string().regex(/^[a-z0-9_]{1,64}$/),
              rights: z.enum(['read', 'write', 'all']),
            }),
          )
          .max(1000),
      }),
    )
    .max(10_000)
    .default([]),
  /** Chains that sites serve, by name of the site; their keys are sealed. */
  certificates: z
    .array(
      z.object({
        domain: z
          .string()
          .max(253)
          .regex(/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/),
        ...part,
      }),
    )
    .max(10_000),
  sealed: z
    .object({
      file: z.literal(SEALED),
      cipher: z.literal('aes-256-ctr'),
      key_id: z.string().regex(/^[0-9a-f]{16}$/),
      iv: z.string().regex(/^[0-9a-f]{32}$/),
      ...part,
    })
    .nullable(),
})

const firstVersion = z
  .object({
    version: z.literal(1),
    username,
    created_at: z.string().max(30),
    databases: z.array(z.object(dump)).max(10_000),
  })
  .transform(({ databases, ...more }): Manifest => ({
    ...more,
    made_by: null,
    uid: null,
    home: null,
    record: null,
    databases: databases.map((row) => ({ ...row, user: null, password_hash: null })),
    database_users: [],
    certificates: [],
    sealed: null,
  }))

const manifestSchema = z.union([firstVersion, secondVersion])

/**
 * `manifest.json`, the first member of every archive: whose it is, and what else must
 * be there; `docs/backup-format.md`. What archives of version 1 do not have is null.
 */
export type Manifest = Omit<z.output<typeof secondVersion>, 'version'> & { version: 1 | 2 }

export type ManifestDump = Manifest['databases'][number]

export const MANIFEST = 'manifest.json'
export const MAX_MANIFEST_BYTES = 4 * 2 ** 20

/** Name of the member that holds the chain of a site. */
export const certificateMember = (domain: string): string => `certificates/${domain}.pem`

/** Throws 409 for what is no manifest. */
export const readManifest = (text: string): Manifest => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw conflict('The archive has no readable manifest.json.')
  }
  const versioned = z.object({ version: z.int().min(3) }).safeParse(value)
  if (versioned.success)
    throw conflict(
      `The archive has version ${versioned.data.version} of the format, which a newer Berth made. Upgrade, then try again.`,
    )
  const parsed = manifestSchema.safeParse(value)
  if (!parsed.success) throw conflict('The manifest.json of the archive has an unknown form.')
  for (const { engine, database, file } of parsed.data.databases)
    if (file !== `${engine}-${database}.sql`)
      throw conflict('The archive is refused: its manifest names an unknown file.')
  return parsed.data
}

/** Throws 409 for what is no manifest of `username`. */
export const parseManifest = (text: string, username: string): Manifest => {
  const manifest = readManifest(text)
  if (manifest.username !== username) throw conflict('The archive is a backup of another account.')
  return manifest
}

/** Size and SHA-256 of every member but those of the home and the proof. */
export const partsOf = (manifest: Manifest): Map<string, { sizeBytes: number; sha256: string }> => {
  const parts = new Map<string, { sizeBytes: number; sha256: string }>()
  for (const { file, size_bytes, sha256 } of manifest.databases)
    parts.set(`databases/${file}`, { sizeBytes: size_bytes, sha256 })
  for (const { domain, size_bytes, sha256 } of manifest.certificates)
    parts.set(certificateMember(domain), { sizeBytes: size_bytes, sha256 })
  if (manifest.sealed !== null) {
    const { file, size_bytes, sha256 } = manifest.sealed
    parts.set(file, { sizeBytes: size_bytes, sha256 })
  }
  return parts
}
