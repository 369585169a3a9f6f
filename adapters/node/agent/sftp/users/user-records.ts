import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWhole } from '../../../layout/write-whole.ts'

const users = z.array(
  z.object({
    name: z.string(),
    folder: z.string(),
    passwords: z.boolean(),
    readOnly: z.boolean(),
  }),
)

/** A user of an account for one of its folders, as the agent remembers it. */
export type FolderUser = z.infer<typeof users>[number]

/** What the agent was told last, so that it makes jails anew before the panel speaks. */
export interface UserRecords {
  of(account: string): FolderUser[]
  set(account: string, wanted: readonly FolderUser[]): void
}

/** A file for each account in a directory of root. */
export const createUserRecords = (directory: string): UserRecords => {
  const fileOf = (account: string): string => join(directory, `${account}.json`)
  return {
    of(account) {
      if (!existsSync(fileOf(account))) return []
      try {
        return users.parse(JSON.parse(readFileSync(fileOf(account), 'utf8')))
      } catch {
        // The panel tells all of it again.
        return []
      }
    },
    set(account, wanted) {
      if (wanted.length === 0) return rmSync(fileOf(account), { force: true })
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      writeWhole(fileOf(account), JSON.stringify(wanted), { mode: 0o600 })
    },
  }
}
