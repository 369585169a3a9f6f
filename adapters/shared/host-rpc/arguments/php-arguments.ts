import { z } from 'zod'
import { nothing, operationId, phpMode, phpVersion, username } from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about PHP, by port and method. */
export const PHP_ARGUMENTS: Pick<ArgumentTable, 'php'> = {
  php: {
    versions: nothing,
    pools: nothing,
    test: z.object({ username: username.nullable(), version: phpVersion, mode: phpMode }),
    facts: z.object({ version: phpVersion, mode: phpMode }),
    configure: z.object({ operationId, username, version: phpVersion, mode: phpMode }),
  },
}
