import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { basename, join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CliError } from '../../cli-error.ts'
import { reasonOf } from '../../read-text.ts'
import { formatBytes } from '../../terminal/format.ts'
import { createProgress } from '../../terminal/progress.ts'
import type { PanelCall } from '../frame/command-types.ts'
import type { Query } from '../frame/panel-client.ts'

/** Passes bytes on and shows how many there were of `total`, which may not be known. */
const counted = (label: string, total: number | null) => {
  const progress = createProgress()
  let bytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.byteLength
      const percent = total === null || total === 0 ? null : (bytes / total) * 100
      progress.show(percent, `${label}  ${formatBytes(bytes)}`)
      done(null, chunk)
    },
  })
  stream.on('close', () => progress.clear())
  return { stream, bytes: () => bytes }
}

/** A file, or standard input for `-`, as a stream that shows its progress. */
export const openLocal = (file: string): Readable => {
  if (file === '-') return process.stdin.pipe(counted('standard input', null).stream)
  let size: number
  try {
    const found = statSync(file)
    if (!found.isFile())
      throw new CliError(`${file} is no file. A directory is packed first: berth files archive`)
    size = found.size
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError(`${file} cannot be read: ${reasonOf(error)}`)
  }
  const source = createReadStream(file)
  const { stream } = counted(basename(file), size)
  source.on('error', (error) => stream.destroy(error))
  return source.pipe(stream)
}

/** Where a download goes: the file that was named, or `name` in the directory that was; `-` is standard output. */
const placeOf = async (wanted: string | undefined, name: string): Promise<string> => {
  if (wanted === undefined) return name
  const isDirectory = await stat(wanted).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isDirectory ? join(wanted, name) : wanted
}

/**
 * Writes a download to a file, which appears when all of it has come, and never
 * over another without `force`. Answers where it is and its size.
 */
const saveDownload = async (
  incoming: IncomingMessage,
  options: { to: string | undefined; name: string; force: boolean },
): Promise<{ file: string; size_bytes: number }> => {
  const length = incoming.headers['content-length']
  const { stream, bytes } = counted(options.name, length === undefined ? null : Number(length))
  if (options.to === '-') {
    await pipeline(incoming, stream, process.stdout, { end: false })
    return { file: '-', size_bytes: bytes() }
  }
  const file = await placeOf(options.to, basename(options.name))
  const exists = await stat(file).then(
    () => true,
    () => false,
  )
  if (exists && !options.force) {
    incoming.destroy()
    throw new CliError(`${file} exists already. Name another place, or give --force.`)
  }
  const partial = `${file}.${process.pid}.part`
  try {
    await pipeline(incoming, stream, createWriteStream(partial, { flags: 'wx', mode: 0o600 }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw new CliError(`${file} was not written: ${reasonOf(error)}`)
  }
  return { file, size_bytes: bytes() }
}

/** Downloads to where the command's argument `to` says (empty: here, as `name`), and says so. */
export const downloadTo = async (
  { panel, options, print }: PanelCall,
  to: string | undefined,
  name: string,
  path: string,
  query: Query,
): Promise<void> => {
  const incoming = await panel.download(path, query)
  const force = options.isOn('force')
  const saved = await saveDownload(incoming, { to: to || undefined, name, force })
  if (saved.file !== '-')
    print(saved, () => console.log(`${saved.file}  ${formatBytes(saved.size_bytes)}`))
}
