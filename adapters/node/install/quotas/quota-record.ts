import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { writeWhole } from '../../layout/write-whole.ts'

/** What was changed so that the kernel keeps to quotas, to be taken back. */
const record = z.object({
  mount: z.string(),
  /** Added in fstab(5). */
  options: z.array(z.string()),
  /** In which use is counted, below `mount`; null: the file system's own. */
  file: z
    .string()
    .regex(/^[\w.]+$/)
    .nullable(),
  /** Whether limits were switched on at once. */
  on: z.boolean(),
})
export type QuotaRecord = z.infer<typeof record>

const fileIn = (stateDir: string): string => join(stateDir, 'quotas-of-install.json')

export const writeQuotaRecord = (stateDir: string, made: QuotaRecord): void =>
  writeWhole(fileIn(stateDir), `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })

/** Null: nothing was changed, or nobody can say what. */
export const readQuotaRecord = (stateDir: string): QuotaRecord | null => {
  try {
    return record.parse(JSON.parse(readFileSync(fileIn(stateDir), 'utf8')))
  } catch {
    return null
  }
}

export const forgetQuotaRecord = (stateDir: string): void =>
  rmSync(fileIn(stateDir), { force: true })
