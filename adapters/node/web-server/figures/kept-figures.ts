import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { dayNumber } from '#handlers/domain/figures/figures-day.ts'
import { figuresBatchSchema, figuresPartSchema } from '#handlers/domain/figures/figures-batch.ts'
import type { PathsConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { KeptFile } from '../kept-file.ts'
import { FiguresLedger } from './figures-ledger.ts'
import { createDayKey, VisitorKey, type DayKey } from './visitor-key.ts'

/** Of the primary: what was counted and is not fetched yet, and the key that visitors of today are hashed with. */
export interface KeptFigures {
  ledger: FiguresLedger
  /** For a new worker. */
  todaysKey(): DayKey
  /** Puts aside what nobody has fetched yet, for the next start. */
  close(): Promise<void>
}

const keySchema = z.object({ day: z.int().nonnegative(), key: z.string().length(44) })
const heldSchema = z.object({
  handed: figuresBatchSchema.nullable(),
  parts: z.array(figuresPartSchema),
})

const readKept = <T>(file: string, schema: z.ZodType<T>): T | null => {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/**
 * Opens both where only the web server reads, in a directory that is memory on a real
 * host, so that visitors are not counted again after a restart of the web server. The
 * file of the key has never more than today's.
 */
export const openKeptFigures = (
  { run_dir: runDir }: Pick<PathsConfig, 'run_dir'>,
  log: Pick<Log, 'warn'>,
  nowMs: () => number,
): KeptFigures => {
  const [keyFile, heldFile] = [fileIn(runDir, 'visitor-key'), fileIn(runDir, 'figures')]
  const today = dayNumber(nowMs())
  const found = readKept(keyFile, keySchema)
  const key = new VisitorKey(found !== null && found.day <= today ? found : createDayKey(nowMs()))
  const keptKey = new KeptFile(
    keyFile,
    () => key.of(dayNumber(nowMs())),
    log,
    'the key that visitors are counted by is not kept; after a restart they are counted again',
  )
  const ledger = new FiguresLedger()
  const keptHeld = new KeptFile(
    heldFile,
    () => ledger.kept(),
    log,
    'figures of sites that were not fetched yet are lost',
  )
  const held = readKept(heldFile, heldSchema)
  // What is there twice would be counted twice.
  rmSync(heldFile, { force: true })
  if (held !== null) ledger.takeOver(held)
  void keptKey.save()
  let savedDay = today
  const stepping = setInterval(() => {
    const day = dayNumber(nowMs())
    if (day === savedDay) return
    savedDay = day
    void keptKey.save()
  }, 60_000)
  stepping.unref()
  return {
    ledger,
    todaysKey: () => key.of(dayNumber(nowMs())),
    close: async () => {
      clearInterval(stepping)
      await Promise.all([keptKey.save(), keptHeld.save()])
    },
  }
}

const fileIn = (runDir: string, name: string): string => join(runDir, 'pages', `${name}.json`)
