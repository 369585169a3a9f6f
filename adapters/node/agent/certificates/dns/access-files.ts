import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { newDnsAccessSchema } from '#handlers/domain/certificates/dns-access-schema.ts'
import { syncFile, writeWhole } from '../../../layout/write-whole.ts'

const accessSchema = newDnsAccessSchema.extend({ created_at: z.string() }).strict()
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
