import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { unavailable } from '#handlers/errors.ts'
import type { Engine } from '../databases/engine.ts'
import type { RegisteredDatabase } from '../registry/types.ts'
import { createMeter } from './archive-file.ts'
import type { ManifestDump } from './manifest.ts'
import { stallLimit } from './stall-limit.ts'

const TAIL_BYTES = 1024

/** The last kilobyte of a file. */
const tailOf = async (file: string): Promise<string> => {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const from = Math.max(0, size - TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Name of a dump, in the archive below `databases/` and in a working directory. */
export const dumpName = (row: Pick<RegisteredDatabase, 'engine' | 'database'>): string =>
  `${row.engine}-${row.database}.sql`

/** A tenant can lock its own tables for ever. */
const DUMP_STALL_MS = 600_000

/**
 * Dumps a database into `directory` (0600) and looks at the file again: 503 when
 * the dump fails, is empty or has no end.
 */
export const dumpDatabase = async (
  engine: Engine,
  row: Pick<RegisteredDatabase, 'engine' | 'database'>,
  directory: string,
): Promise<Omit<ManifestDump, 'user' | 'password_hash'>> => {
  await engine.whenReady()
  const file = path.join(directory, dumpName(row))
  const meter = createMeter()
  try {
    await pipeline(
      engine.dump(row.database),
      stallLimit(DUMP_STALL_MS, `The dump of ${row.database}`),
      meter.stream,
      createWriteStream(file, { flags: 'wx', mode: 0o600 }),
    )
  } catch (error) {
    throw unavailable(
      `The database ${row.database} could not be dumped, so there is no backup. See the agent log.`,
      error,
    )
  }
  const { sizeBytes, sha256 } = meter.result()
  if (sizeBytes === 0 || !engine.dumpEnd.test(await tailOf(file)))
    throw unavailable(
      `The dump of the database ${row.database} is not complete, so there is no backup.`,
    )
  const { engine: name, database } = row
  return { engine: name, database, file: dumpName(row), size_bytes: sizeBytes, sha256 }
}
