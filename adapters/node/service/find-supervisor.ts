import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  identifyProcess,
  isSameProcessAlive,
  readIdentityFile,
  type ProcessIdentity,
} from '../process/process-identity.ts'

const ENTRY = '/adapters/node/bin/supervisor.ts'

const argvOf = (pid: number): string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** A supervisor of this file that has no pid file yet: it was started a moment ago. */
const findStarting = (configFile: string): ProcessIdentity | null => {
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const [, script = '', option, file] = argvOf(pid)
    if (!script.endsWith(ENTRY) || option !== '--config' || file !== configFile) continue
    const found = identifyProcess(pid)
    if (found !== null) return found
  }
  return null
}

/** The supervisor of a configuration: whoever holds its run directory, or is about to. */
export const findSupervisor = (runDir: string, configFile: string): ProcessIdentity | null => {
  const holder = readIdentityFile(join(runDir, 'supervisor.pid'))
  return holder !== null && isSameProcessAlive(holder) ? holder : findStarting(configFile)
}
