import { z } from 'zod'
import {
  bytes,
  databaseChange,
  databaseCopyWork,
  databaseExport,
  databaseGrants,
  databaseName,
  databaseUser,
  engine,
  nothing,
  operationId,
  password,
  remoteAddresses,
  username,
} from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** That share one store. */
const MAX_PANELS = 1000

/** Shapes of the arguments of methods about databases, by port and method. */
export const DATABASES_ARGUMENTS: Pick<
  ArgumentTable,
  'databases' | 'databaseUsers' | 'databaseRemote' | 'databaseCopies' | 'databaseTool'
> = {
  databases: {
    engines: nothing,
    create: z.object({ ...databaseChange, password }),
    setPassword: z.object({ ...databaseChange, password }),
    remove: z.object(databaseChange),
    facts: z.object({ username }),
    slowQueries: z.object({ username }),
    setLocked: z.object({ operationId, username, locked: z.boolean() }),
  },
  databaseUsers: {
    create: z.object({ ...databaseUser, password, grants: databaseGrants }),
    setGrants: z.object({ ...databaseUser, grants: databaseGrants }),
    setPassword: z.object({ ...databaseUser, password }),
    rename: z.object({ ...databaseUser, to: databaseName }),
    remove: z.object(databaseUser),
  },
  databaseRemote: {
    state: nothing,
    setAddresses: z.object({ operationId, username, addresses: remoteAddresses }),
  },
  databaseCopies: {
    start: databaseCopyWork,
    wait: z.object({ operationId }),
    exports: z.object({ username }),
    read: z.object({ ...databaseExport, offset: bytes }),
    remove: z.object(databaseExport),
  },
  databaseTool: {
    open: z.object({
      sessionId: operationId,
      panel: operationId.exactOptional(),
      username,
      engine,
      database: databaseName,
    }),
    close: z.object({ sessionId: operationId }),
    closeAll: z.object({ except: z.array(operationId).max(MAX_PANELS) }),
  },
}
