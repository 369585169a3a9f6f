import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Log } from '#handlers/ports/log.ts'
import type { WebControl } from './web-control.ts'

/** Purges that the web server could not be told of: its disk cache outlives it. */
export interface PendingPurges {
  /** Remembers them, across restarts too, and tells the web server once it runs. No domains: everything. */
  add(domains: readonly string[]): void
}

const RETRY_MS = 500
const fileSchema = z.array(z.array(z.string()))

const load = (file: string): string[][] => {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}

/** Takes up what an earlier agent left in `file`. */
export const openPendingPurges = (file: string, control: WebControl, log: Log): PendingPurges => {
  let pending = load(file)
  let timer: NodeJS.Timeout | null = null

  const save = (): void => {
    if (pending.length === 0) {
      rmSync(file, { force: true })
      return
    }
    writeFileSync(`${file}.new`, JSON.stringify(pending), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  const flush = async (): Promise<void> => {
    for (const domains of [...pending]) {
      if (!(await control.purge(domains))) return
      pending = pending.filter((each) => each !== domains)
      save()
    }
  }

  const schedule = (): void => {
    if (timer !== null || pending.length === 0) return
    timer = setTimeout(() => {
      flush()
        .catch((error: unknown) => {
          log.warn('A postponed purge failed', { error: String(error) })
        })
        .finally(() => {
          timer = null
          schedule()
        })
    }, RETRY_MS)
    timer.unref()
  }

  schedule()
  return {
    add(domains) {
      pending = domains.length === 0 ? [[]] : [...pending, [...domains]]
      save()
      schedule()
    },
  }
}
