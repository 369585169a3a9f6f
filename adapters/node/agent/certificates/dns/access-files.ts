import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DNS_ACCESS_PATTERNS, parseDnsServer } from '#handlers/domain/certificates/dns-access.ts'
import { syncFile, writeWhole } from '../../../layout/write-whole.ts'

const accessSchema = z.strictObject({
  name: z.string().regex(DNS_ACCESS_PATTERNS.name),
  kind: z.literal('rfc2136'),
  server: z.string().refine((text) => parseDnsServer(text) !== null),
  zone: z.string().regex(DNS_ACCESS_PATTERNS.zone),
  key_name: z.string().regex(DNS_ACCESS_PATTERNS.key_name),
  secret: z.string().regex(DNS_ACCESS_PATTERNS.secret),
  created_at: z.string(),
})
const fileSchema = z.array(accessSchema)

/** Access with the key that opens it, for the agent alone. */
export type KeptAccess = z.infer<typeof accessSchema>

/** What is kept of each owner; null is the panel. Root's alone. */
export interface AccessFiles {
  /** By name. */
  of(username: string | null): KeptAccess[]
  put(username: string | null, all: readonly KeptAccess[]): void
}

/** No username begins so. */
const PANEL = '_panel'

export const createAccessFiles = (directory: string): AccessFiles => {
  const fileOf = (username: string | null): string => join(directory, `${username ?? PANEL}.json`)
  return {
    of(username) {
      const file = fileOf(username)
      return existsSync(file) ? fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : []
    },
    put(username, all) {
      const file = fileOf(username)
      if (all.length === 0) {
        if (!existsSync(file)) return
        rmSync(file)
        syncFile(directory)
        return
      }
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
      writeWhole(file, `${JSON.stringify(fileSchema.parse(sorted), null, 2)}\n`, { mode: 0o600 })
    },
  }
}
