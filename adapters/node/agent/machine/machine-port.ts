import type { MachinePort } from '#handlers/ports/host/machine.ts'
import { readSupervisorState } from '../../service/supervisor-state.ts'
import type { Engine } from '../databases/engine.ts'
import type { OpenRegistry } from '../registry/registry.ts'
import { createClockWatch } from './clock-watch.ts'
import { childrenOf, portsOf } from './read-children.ts'
import { readSynchronised } from './read-clock.ts'
import { readDatabaseServers } from './read-database-servers.ts'
import { readDisks, type WrittenPlace } from './read-disks.ts'
import { readFillers, type CountedPlace } from './read-fillers.ts'
import { readLimits } from './read-limits.ts'
import { killedOf, readMemory, textOf } from './read-memory.ts'
import { createPackageReader } from './read-packages.ts'
import { look } from './seen.ts'

export interface MachinePortDeps {
  registry: Pick<OpenRegistry, 'databases'>
  engines: readonly Pick<Engine, 'name' | 'health' | 'remote'>[]
  /** Where the installation and the accounts write. */
  written: readonly WrittenPlace[]
  /** Directories of the installation that may be counted. */
  counted: readonly CountedPlace[]
  runDir: string
}

/** The machine's port, with a clock that is watched until `stop`. */
export const createMachinePort = (
  deps: MachinePortDeps,
): { port: MachinePort; stop: () => void } => {
  const killedBefore = killedOf(textOf('/proc/vmstat'))
  const watch = createClockWatch()
  const readPackages = createPackageReader()
  const readClock = async () => ({ ...(await readSynchronised()), jumps: watch.check() })
  const port: MachinePort = {
    async facts() {
      const supervisor = readSupervisorState(deps.runDir)
      const [disks, memory, clock, children, ports, databaseServers, packages, limits] =
        await Promise.all([
          look(() => readDisks(deps.written)),
          look(() => readMemory(killedBefore)),
          look(readClock),
          look(() => childrenOf(supervisor, Date.now())),
          look(() => portsOf(supervisor)),
          look(() => readDatabaseServers(deps.engines, deps.registry.databases())),
          look(readPackages),
          look(() => readLimits(deps.runDir)),
        ])
      return { disks, memory, clock, children, ports, databaseServers, packages, limits }
    },
    fillers: () => readFillers(deps.counted),
  }
  return { port, stop: () => watch.stop() }
}
