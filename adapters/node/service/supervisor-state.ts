import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { restartOnlyChanges } from '../config/restart-only-changes.ts'

const stateSchema = z.object({
  /** Of the keys that only a restart changes; see `digestFixedKeys`. */
  started: z.record(z.string(), z.string()),
  /** A text for each port of the sites that could not be opened yet, with its holder. */
  ports: z.array(z.string()),
})

/** What a running supervisor tells the agent and the command line. */
export type SupervisorState = z.output<typeof stateSchema>

const fileOf = (runDir: string): string => join(runDir, 'supervisor.state')

/** Replaces what was told before. For the supervisor's own user alone. */
export const writeSupervisorState = (runDir: string, state: SupervisorState): void => {
  const file = fileOf(runDir)
  writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export const clearSupervisorState = (runDir: string): void =>
  rmSync(fileOf(runDir), { force: true })

/** Null where no supervisor runs, or another user's. */
export const readSupervisorState = (runDir: string): SupervisorState | null => {
  try {
    return stateSchema.parse(JSON.parse(readFileSync(fileOf(runDir), 'utf8')))
  } catch {
    return null
  }
}

/** Dotted keys of a configuration that wait for a restart of the running supervisor; none where none runs. */
export const keysForRestart = (runDir: string, config: ServerConfig): string[] => {
  const state = readSupervisorState(runDir)
  return state === null ? [] : restartOnlyChanges(state.started, config)
}
