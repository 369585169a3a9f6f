import { stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError, conflict, invalid, isAppError, notFound, unavailable } from '#handlers/errors.ts'
import type { BackupWork, KnownBackup } from '#handlers/ports/host/backups/backups.ts'
import { LOCAL } from '#handlers/ports/host/backups/backups.ts'
import { createMeter } from '../archive-file.ts'
import type { KnownTarget } from '../targets/known-target.ts'
import { READ_BYTES, readPiece } from '../copies/read-piece.ts'
import type { Report } from '../works/report.ts'
import { fetchFile } from './fetch-file.ts'
import { openTarget } from './open-target.ts'
import { codeOf } from '../../../layout/error-code.ts'

/** 400 unless the file is one of this very account: `bob` is not `bob2`. */
export const checkName = ({ username, filename }: { username: string; filename: string }): void => {
  const [owner = '', ...rest] = filename.split('-')
  if (owner !== username || !/^\d{8}-\d{6}\.tar\.gz$/.test(rest.join('-')))
    throw invalid('filename', `"${filename}" is not a backup of account ${username}.`)
}

/** A copy that cannot be had is no reason not to try another one: its failures name the place. */
export const atCopy = async <T>(location: string, work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    const { status, message } = isAppError(error)
      ? error
      : unavailable(`The copy of the backup at "${location}" cannot be read.`)
    throw new AppError(status, message, { field: 'location', cause: error })
  }
}

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** Files of backups, in the directory of this host and at targets. */
export const createBackupFiles = (deps: {
  directory: string
  targets: () => readonly KnownTarget[]
}) => {
  const { directory, targets } = deps
  const fileOf = (filename: string): string => path.join(directory, filename)

  const upload = async (
    work: Extract<BackupWork, { kind: 'upload' }>,
    report: Report,
  ): Promise<null> => {
    const target = openTarget(targets(), work.location)
    const file = fileOf(work.filename)
    const { size } = await stat(file).catch(() => ({ size: -1 }))
    if (size !== work.sizeBytes)
      throw conflict(`The backup ${work.filename} is not on this host as it was made.`)
    report('upload', work.location, 10)
    await target.put(work.filename, file, size)
    report('verify', work.location, 60)
    const meter = createMeter()
    meter.stream.resume()
    await pipeline(await target.open(work.filename), meter.stream)
    if (meter.result().sha256 === work.sha256) return null
    await target.remove(work.filename)
    throw conflict(`The copy of ${work.filename} at "${work.location}" is not what was sent.`)
  }

  const fetched = async (
    work: KnownBackup & { sizeBytes: number },
    directoryOfWork: string,
    report: Report,
  ): Promise<string> => {
    if (work.location === LOCAL) {
      const file = fileOf(work.filename)
      if ((await stat(file).catch(() => null)) !== null) return file
      throw notFound(`The file of the backup ${work.filename} is gone from this host.`)
    }
    report('download', work.location, 1)
    const file = path.join(directoryOfWork, 'archive.tar.gz')
    await fetchFile(openTarget(targets(), work.location), work.filename, file, work.sizeBytes)
    return file
  }

  const readPart = async (backup: KnownBackup & { offset: number }): Promise<string> => {
    const { filename, location, offset } = backup
    if (location !== LOCAL) {
      const range = { offset, length: READ_BYTES }
      const chunks: Buffer[] = []
      const source = await openTarget(targets(), location).open(filename, range)
      for await (const chunk of source as AsyncIterable<Buffer>) chunks.push(chunk)
      return Buffer.concat(chunks).toString('base64')
    }
    return readPiece(fileOf(filename), offset).catch((error: unknown) => {
      if (!isMissing(error)) throw error
      throw notFound(`The file of the backup ${filename} is gone from this host.`)
    })
  }

  return { fileOf, upload, fetched, readPart }
}
