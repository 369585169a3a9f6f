import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { Instance } from '#test/support/instance-types.ts'

/** Where an operation is to be met: when so many of its steps are recorded. */
export interface Point {
  kind: string
  steps: number
}

/** Reads the panel's journal beside it. */
export interface JournalWatch {
  /**
   * To be called before the operation is asked for; the result resolves when it
   * has come so far, or is over.
   */
  expect(point: Point): () => Promise<void>
  /** Open operations, as `<kind> <subject>`. */
  open(): string[]
  close(): void
}

const POLL_MS = 2

/** Opens the journal read-only; the panel is not kept from writing. */
export const watchJournal = ({ config }: Instance): JournalWatch => {
  const path = join(config.paths.state_dir, 'panel', 'panel.db')
  const file = new Database(path, { readonly: true, timeout: 5000 })
  const last = file.prepare('select coalesce(max(rowid), 0) from operations').pluck()
  const first = file.prepare<unknown[], { state: string; steps: string }>(
    'select state, steps from operations where kind = ? and rowid > ? order by rowid limit 1',
  )
  const open = file
    .prepare<[], string>(`select kind || ' ' || subject from operations where state = 'open'`)
    .pluck()
  return {
    expect({ kind, steps }) {
      const known = last.get()
      return async () => {
        const deadline = Date.now() + 30_000
        for (;;) {
          const row = first.get(kind, known)
          if (row !== undefined && row.state !== 'open') return
          if (row !== undefined && (JSON.parse(row.steps) as string[]).length >= steps) return
          if (Date.now() > deadline) throw new Error(`${kind} never came to step ${steps}`)
          await pause(POLL_MS)
        }
      }
    },
    open: () => open.all(),
    close: () => void file.close(),
  }
}
