import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isSameProcessAlive } from '../../process/process-identity.ts'
import { readProcess } from '../host/process-facts.ts'
import type { KeeperProcess } from './keeper-process.ts'

const record = z.object({
  username: z.string(),
  name: z.string(),
  uid: z.number().int(),
  pid: z.number().int().positive(),
  startTicks: z.number().int().nonnegative(),
  /** Of what it was started with; another one is not what it should be. */
  digest: z.string(),
  generation: z.string().regex(/^[0-9a-f]{8}$/),
})
type KeptRecord = z.infer<typeof record>

/** A keeper that visitors are sent to, or that is being ended. */
export type KeptApplication = KeptRecord & KeeperProcess

/** Directory of root's with the control sockets of keepers and what says whose they are, for the agent that comes next. */
export interface KeptFiles {
  control(generation: string): string
  /** Writes down a keeper that was just started. */
  add(kept: Omit<KeptApplication, 'control'>): KeptApplication
  remove(kept: KeptApplication): void
  /** What an agent before this one left and still runs; of all others nothing is left behind. */
  found(): KeptApplication[]
}

/** Opens the directory, making it when it is missing. */
export const openKeptFiles = (directory: string): KeptFiles => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const control = (generation: string): string => join(directory, `${generation}.sock`)
  const file = (generation: string): string => join(directory, `${generation}.json`)
  const forget = (generation: string): void => {
    rmSync(control(generation), { force: true })
    rmSync(file(generation), { force: true })
  }
  return {
    control,
    add(kept) {
      writeFileSync(file(kept.generation), JSON.stringify(record.parse(kept)), { mode: 0o600 })
      return { ...kept, control: control(kept.generation) }
    },
    remove: ({ generation }) => forget(generation),
    found: () =>
      readdirSync(directory).flatMap((name) => {
        const [, generation] = /^([0-9a-f]{8})\.(?:json|sock)$/.exec(name) ?? []
        if (generation === undefined) return []
        let kept: KeptRecord | null = null
        try {
          kept = record.parse(JSON.parse(readFileSync(file(generation), 'utf8')))
        } catch {
          // Never written whole, so that what it is of cannot be said.
        }
        if (kept === null || !isSameProcessAlive(kept) || readProcess(kept.pid) === null) {
          forget(generation)
          return []
        }
        return name.endsWith('.json') ? [{ ...kept, control: control(generation) }] : []
      }),
  }
}
