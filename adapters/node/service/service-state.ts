import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { isSameProcessAlive, readIdentityFile } from '../process/process-identity.ts'
import { readSupervisorState } from './supervisor-state.ts'
import { findSupervisor } from './find-supervisor.ts'
import { isReady } from './ready-file.ts'

/** Clock ticks a second that /proc counts in; the same on every Linux that Node runs on. */
const TICKS_PER_SEC = 100

export interface ServiceState {
  /** `starting`: a supervisor runs, but not everything serves yet, or it is about to end. */
  state: 'running' | 'starting' | 'stopped'
  /** Of the supervisor. */
  pid: number | null
  uptime_secs: number | null
  /** Its children that run. */
  processes: { name: string; pid: number }[]
  /** A text for each port of the sites that another program holds, or that cannot be opened. */
  ports: string[]
}

const uptimeSecs = (startTicks: number): number =>
  Math.max(
    0,
    Math.floor(
      Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) - startTicks / TICKS_PER_SEC,
    ),
  )

/** What runs of the Berth with this configuration. */
export const readServiceState = ({
  file,
  paths,
}: Pick<ServerConfig, 'file' | 'paths'>): ServiceState => {
  const found = findSupervisor(paths.run_dir, file)
  if (found === null)
    return { state: 'stopped', pid: null, uptime_secs: null, processes: [], ports: [] }
  const processes = ['agent', 'panel', 'web'].flatMap((name) => {
    const child = readIdentityFile(join(paths.run_dir, `${name}.pid`))
    return child !== null && isSameProcessAlive(child) ? [{ name, pid: child.pid }] : []
  })
  const state = isReady(paths.run_dir, found) && processes.length === 3 ? 'running' : 'starting'
  const ports = readSupervisorState(paths.run_dir)?.ports ?? []
  return { state, pid: found.pid, uptime_secs: uptimeSecs(found.startTicks), processes, ports }
}
