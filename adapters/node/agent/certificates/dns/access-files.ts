import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DNS_ACCESS_PATTERNS } from '#handlers/domain/certificates/dns-access.ts'
import { dnsAccessFields, refineByKind } from '#handlers/domain/certificates/dns-access-schema.ts'
import { syncFile, writeWhole } from '../../../layout/write-whole.ts'

/** What an acme-dns gave when it registered, and where CNAME records lead then. */
const registrationSchema = z.strictObject({
  username: z.string().regex(DNS_ACCESS_PATTERNS.given),
  password: z.string().regex(DNS_ACCESS_PATTERNS.given),
  target: z.string().max(253).regex(DNS_ACCESS_PATTERNS.target),
})
export type Registration = z.infer<typeof registrationSchema>

const accessSchema = z
  .strictObject({
    ...dnsAccessFields,
    created_at: z.string(),
    registration: registrationSchema.optional(),
  })
  .superRefine(refineByKind)
  .transform(({ registration, ...access }) => ({
    ...access,
    target: registration?.target ?? null,
    ...(registration === undefined ? {} : { registration }),
  }))
const fileSchema = z.array(accessSchema)

/** Access with the key that opens it, for the agent alone. */
export type KeptAccess = z.output<typeof accessSchema>

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
      const written = sorted.map(({ target: _, ...access }) => access)
      // Nothing is kept that could not be read again.
      fileSchema.parse(written)
      writeWhole(file, `${JSON.stringify(written, null, 2)}\n`, { mode: 0o600 })
    },
  }
}
