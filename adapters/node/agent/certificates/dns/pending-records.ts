import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DNS_ACCESS_PATTERNS } from '#handlers/domain/certificates/dns-access.ts'
import { writeWhole } from '../../../layout/write-whole.ts'

const recordSchema = z.strictObject({
  username: z.string().nullable(),
  /** Name of the access that it was set by. */
  access: z.string().regex(DNS_ACCESS_PATTERNS.name),
  name: z.string(),
  value: z.string(),
})
export type PendingRecord = z.infer<typeof recordSchema>

/** Records that stand in zones until an order ends, kept so that they also go after a crash. */
export interface PendingRecords {
  /** Keeps it, durably; answers what it is forgotten by. An order is at work with it until `leave`. */
  note(record: PendingRecord): string
  forget(note: string): void
  /** Its order has ended and could not remove it. */
  leave(note: string): void
  /** Those that no order is at work with any more, by what they are forgotten by. */
  left(): string[]
  /** Throws for one that cannot be read. */
  read(note: string): PendingRecord
}

const NOTE = /^[0-9a-f]{24}\.json$/

export const createPendingRecords = (directory: string): PendingRecords => {
  const atWork = new Set<string>()
  return {
    note(record) {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const note = `${randomBytes(12).toString('hex')}.json`
      const text = `${JSON.stringify(recordSchema.parse(record))}\n`
      writeWhole(join(directory, note), text, { mode: 0o600 })
      atWork.add(note)
      return note
    },
    forget(note) {
      rmSync(join(directory, note), { force: true })
      atWork.delete(note)
    },
    leave: (note) => void atWork.delete(note),
    left: () =>
      (existsSync(directory) ? readdirSync(directory) : []).filter(
        (name) => NOTE.test(name) && !atWork.has(name),
      ),
    read: (note) => recordSchema.parse(JSON.parse(readFileSync(join(directory, note), 'utf8'))),
  }
}
