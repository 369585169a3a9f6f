import type { MachineDatabaseServer } from '#handlers/ports/host/machine.ts'
import type { Engine } from '../databases/engine.ts'
import { look } from './seen.ts'

/** Less than the whole may take, so that a server that hangs is told as such and not as a check that was left out. */
const PATIENCE_MS = 1200

const NOTHING = {
  ...{ readOnly: null, connections: null, damaged: [] },
  ...{ oldestTransactions: null, notReached: null },
}

/** How the database servers stand, each asked by itself; those that are not in use are left out. */
export const readDatabaseServers = async (
  engines: readonly Pick<Engine, 'name' | 'health' | 'remote'>[],
  databases: readonly { engine: Engine['name']; database: string }[],
): Promise<MachineDatabaseServer[]> => {
  const found = await Promise.all(
    engines.map(async ({ name, health, remote }): Promise<MachineDatabaseServer[]> => {
      const own = databases.filter(({ engine }) => engine === name)
      const [state, serving] = await Promise.all([
        look(() => health(own.map(({ database }) => database)), PATIENCE_MS),
        look(() => remote.serving(), PATIENCE_MS),
      ])
      const notReached = serving.seen ? serving.value.problem : null
      if (!state.seen) return [{ engine: name, unreachable: state.reason, ...NOTHING }]
      if (state.value !== null)
        return [{ engine: name, unreachable: null, notReached, ...state.value }]
      return own.length === 0
        ? []
        : [{ engine: name, unreachable: 'it is not installed any more', ...NOTHING }]
    }),
  )
  return found.flat()
}
