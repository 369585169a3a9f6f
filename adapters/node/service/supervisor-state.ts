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
  /** Its processes, with the latest of their ends that nobody asked for, oldest first. */
  children: z
    .array(
      z.object({
        name: z.string(),
        running: z.boolean(),
        ends: z.array(z.object({ atMs: z.number(), how: z.string() })),
      }),
    )
    .default([]),
})

/** What a running supervisor tells the agent and the command line. */
export type SupervisorState = z.output<typeof stateSchema>

const fileOf = (runDir: string): string => join(runDir, 'supervisor.state')

/**
 * Replaces what was told before. For the supervisor's own user alone. Where it cannot be written
 * the older one stays: a full disk must not end the one that starts the others again.
 */
export const noteSupervisorState = (runDir: string, state: SupervisorState): void => {
  const file = fileOf(runDir)
  try {
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    rmSync(`${file}.new`, { force: true })
  }
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
