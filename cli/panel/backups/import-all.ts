import { ownerOfBackup, newestOfEach } from '#handlers/domain/backups/newest-of-each.ts'
import type { z } from 'zod'
import type { foundSchema, importedSchema } from '#handlers/panel/backups/import-schema.ts'
import type { Column } from '../../terminal/print-table.ts'
import { printTable } from '../../terminal/print-table.ts'
import { printable } from '../../terminal/printable.ts'
import { reasonOf } from '../../read-text.ts'
import type { PanelCall } from '../frame/command-types.ts'
import { followJob, runAsJob } from '../frame/follow-job.ts'
import { known } from '../frame/known.ts'
import { api } from '../frame/panel-client.ts'

type Found = z.output<typeof foundSchema>
type Imported = z.output<typeof importedSchema>

interface Line {
  filename: string
  username: string | null
  account_id: number | null
  notes: string[]
  /** Null: it was brought in. */
  error: string | null
}

const COLUMNS: readonly Column<Line>[] = [
  { title: 'ARCHIVE', value: (one) => printable(one.filename) },
  { title: 'ACCOUNT', value: (one) => one.username },
  { title: 'NUMBER', value: (one) => one.account_id, right: true },
  { title: 'STATE', value: (one) => (one.error === null ? 'brought in' : 'FAILED') },
]

const SILENT = { show: () => undefined, clear: () => undefined }

/**
 * Makes accounts of all archives of a place, of Berth's own the newest of each account,
 * several at a time. One that fails keeps none of the others; exit code 1 then.
 */
export const importAll = async (
  { panel, options, print }: PanelCall,
  found: readonly Found[],
  sourceOf: (archive: Found) => Record<string, unknown>,
): Promise<void> => {
  const atOnce = options.number('atOnce', [1, 8]) ?? 2
  const waiting = newestOfEach(found)
  const shared = {
    ...options.texts('plan'),
    unproved: options.isOn('unproved'),
    fix_configs: options.isOn('fixConfigs'),
  }
  const lines: Line[] = []
  const one = async (archive: Found): Promise<Line> => {
    const { filename } = archive
    const base = { filename, username: ownerOfBackup(filename), account_id: null, notes: [] }
    try {
      const init = { body: { ...sourceOf(archive), ...shared } }
      const begun = await runAsJob(panel, api`POST /api/backups/imports`, init, false)
      const { job_id: id } = known<{ job_id: string }>(begun, 'job_id')
      const data = await followJob(panel, id, SILENT)
      const { account, notes } = known<Imported>(data, 'account', 'notes')
      return { ...base, username: account.username, account_id: account.id, notes, error: null }
    } catch (error) {
      return { ...base, error: reasonOf(error) }
    }
  }
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const line = await one(next)
      console.error(
        `${printable(line.filename)}: ${line.error === null ? 'brought in' : printable(line.error)}`,
      )
      lines.push(line)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  lines.sort((a, b) => (a.filename < b.filename ? -1 : 1))
  print(lines, () => {
    printTable(lines, COLUMNS, 'There is no archive.')
    for (const { filename, notes } of lines)
      for (const note of notes) console.error(`${printable(filename)}: ${printable(note)}`)
  })
  if (lines.some(({ error }) => error !== null)) process.exitCode = 1
}
