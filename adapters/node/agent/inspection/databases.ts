import type { InspectedDatabase } from '#handlers/ports/host/inspection.ts'
import type { Engine } from '../databases/engine.ts'
import type { RegisteredDatabase } from '../registry/types.ts'

/** The recorded databases, with whether their servers have them. */
export const inspectDatabases = async (
  rows: readonly RegisteredDatabase[],
  engines: readonly Engine[],
): Promise<InspectedDatabase[]> => {
  const found = await Promise.all(
    engines.map(async (engine) => {
      const mine = rows.filter((row) => row.engine === engine.name)
      const names = mine.map(({ database }) => database)
      const sizes = mine.length === 0 ? null : await engine.sizes(names).catch(() => null)
      return mine.map((row) => ({
        ...row,
        host: engine.host,
        present: sizes === null ? null : sizes.has(row.database),
      }))
    }),
  )
  return found.flat()
}
