import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  formatIdentity,
  identifyProcess,
  isSameProcessAlive,
  readIdentityFile,
  type ProcessIdentity,
} from '../process/process-identity.ts'

const fileOf = (runDir: string): string => join(runDir, 'supervisor.ready')

/** Says that this supervisor serves, for as long as it lives; `clearReady` takes it back. */
export const markReady = (runDir: string): void => {
  const self = identifyProcess(process.pid)
  if (self === null) return
  const file = fileOf(runDir)
  writeFileSync(`${file}.new`, formatIdentity(self), { mode: 0o644 })
  renameSync(`${file}.new`, file)
}

export const clearReady = (runDir: string): void => rmSync(fileOf(runDir), { force: true })

/** Whether exactly this supervisor has said that everything serves. */
export const isReady = (runDir: string, supervisor: ProcessIdentity): boolean => {
  const said = readIdentityFile(fileOf(runDir))
  return (
    said?.pid === supervisor.pid &&
    said.startTicks === supervisor.startTicks &&
    isSameProcessAlive(said)
  )
}
