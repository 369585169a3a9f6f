import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { createWriteStream } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError, conflict, notFound } from '#handlers/errors.ts'
import type { Report } from '../works/report.ts'
import type { RemoteStore } from './remote-store.ts'

/** Copies a file of a target to a new local one; 409 as soon as it is longer than it should be. */
export const fetchFile = async (
  store: RemoteStore,
  name: string,
  file: string,
  sizeBytes: number,
): Promise<void> => {
  let have = 0
  await pipeline(
    await store.open(name),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        have += chunk.length
        if (have > sizeBytes)
          throw conflict('The copy at the target is larger than the backup that was made.')
        yield chunk
      }
    },
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  )
}

/**
 * An archive of a target, of which nothing is known but its name, below `directory`. 404
 * where it is not there, 413 where the disk has no room for it.
 */
export const fetchArchive = async (
  store: RemoteStore,
  place: { target: string; filename: string },
  directory: string,
  report: Report,
): Promise<string> => {
  const { target, filename } = place
  const listed = await store.list(filename, (name) => name === filename)
  const [found] = listed
  if (!found) throw notFound(`There is no archive ${filename} at "${target}".`)
  const { bavail, bsize } = await statfs(directory)
  if (found.sizeBytes > bavail * bsize)
    throw new AppError(
      413,
      `${filename} has ${inMegabytes(found.sizeBytes, Math.ceil)}, and the disk of the backups has room for ${inMegabytes(bavail * bsize)}. Make room, then try again.`,
    )
  report('download', `${filename}, ${inMegabytes(found.sizeBytes, Math.ceil)}`, 1)
  const given = path.join(directory, 'given')
  await mkdir(given, { mode: 0o700 })
  const file = path.join(given, filename)
  await fetchFile(store, filename, file, found.sizeBytes)
  return file
}
