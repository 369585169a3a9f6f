import { z } from 'zod'
import { conflict } from '#handlers/errors.ts'

const manifestSchema = z.object({
  version: z.literal(1),
  username: z.string().regex(/^[a-z0-9]{3,16}$/),
  created_at: z.string().max(30),
  databases: z
    .array(
      z.object({
        engine: z.enum(['mariadb', 'mysql', 'postgresql']),
        database: z.string().regex(/^[a-z0-9_]{1,64}$/),
        file: z.string().max(200),
        size_bytes: z.number().int().positive(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .max(10_000),
})

/** `manifest.json`, the first member of every archive: what else must be there. */
export type Manifest = z.infer<typeof manifestSchema>

export const MANIFEST = 'manifest.json'
export const MAX_MANIFEST_BYTES = 4 * 2 ** 20

/** Throws 409 for what is no manifest of `username`. */
export const parseManifest = (text: string, username: string): Manifest => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw conflict('The archive has no readable manifest.json.')
  }
  const parsed = manifestSchema.safeParse(value)
  if (!parsed.success) throw conflict('The manifest.json of the archive has an unknown form.')
  if (parsed.data.username !== username)
    throw conflict('The archive is a backup of another account.')
  return parsed.data
}
