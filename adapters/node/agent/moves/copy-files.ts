import { PassThrough } from 'node:stream'
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { conflict, unavailable } from '#handlers/errors.ts'
import type { MoveReceipt } from '#handlers/ports/host/accounts/moves.ts'
import { asUser } from '../../process/as-user.ts'
import { CommandError } from '../../process/run-command.ts'
import { feed, outputOf } from '../../process/stream-command.ts'
import { createEntryRules } from '../../archives/entry-rules.ts'
import { readTar, textOf } from '../../archives/tar-reader.ts'
import type { TarLimits } from '../../archives/tar-reader.ts'
import type { HomeOwner } from '../backups/home-tar.ts'
import { createSkipped } from '../backups/skipped.ts'
import { TAR_END, tarHeader, tarPadding } from '../backups/tar-writer.ts'
import { fieldsOf, MAX_ENTRIES } from './home-list.ts'

const TAR = '/usr/bin/tar'
const AS_TENANT = { dieWithParent: true, limited: true } as const
/** "Some files differ": they changed while they were read. */
const SOME_DIFFER = 1
/** Names are judged so many at a time, for the agent has others to serve. */
const NAMES_A_TURN = 2000

/** Names, each ended by NUL, of which none leads out of the home. What is answered is what was judged, to the last byte. */
const namesOf = async (told: AsyncIterable<Buffer>, home: string): Promise<Buffer> => {
  const chunks: Buffer[] = []
  const kept = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of told) {
      chunks.push(chunk)
      yield chunk
    }
  }
  const rules = createEntryRules(home)
  const plain = { type: 'directory', mode: 0, mtimeSecs: 0, sizeBytes: 0, link: '' } as const
  let names = 0
  for await (const name of fieldsOf(kept())) {
    const problem = rules.problem({ ...plain, name })
    if (problem !== null) throw conflict(`A list of files is refused: ${problem}.`)
    if ((names += 1) > MAX_ENTRIES) throw conflict('A list of files is refused: it is too long.')
    if (names % NAMES_A_TURN === 0) await nextTurn()
  }
  return Buffer.concat(chunks)
}

/** The named entries as a tar stream, made by a process of the account; what is gone meanwhile is left out. */
export const packNames = async (
  { home, runAs }: HomeOwner,
  told: AsyncIterable<Buffer>,
): Promise<Readable> => {
  const { program, args } = asUser(
    runAs,
    TAR,
    [
      ...['--create', '--file=-', '--format=gnu', `--directory=${home}`],
      ...['--no-recursion', '--hard-dereference', '--ignore-failed-read', '--warning=none'],
      ...['--null', '--verbatim-files-from', '--files-from=-'],
    ],
    AS_TENANT,
  )
  return outputOf(program, args, {
    goodCodes: [0, SOME_DIFFER],
    input: await namesOf(told, home),
  })
}

/**
 * Writes what another host packed into the home, by a process of the account: each member is judged
 * and written anew before that process sees it. A pipe or a link that leads out, which came between list
 * and packing, is left out as those of the list are; 409 at the first name that is not in order.
 */
export const unpackNames = async (
  { username, home, runAs }: HomeOwner,
  packed: AsyncIterable<Buffer>,
  limits: TarLimits,
): Promise<Pick<MoveReceipt, 'entries' | 'bytes' | 'skipped' | 'skippedPaths'>> => {
  const { program, args } = asUser(
    runAs,
    TAR,
    [
      ...['--extract', '--file=-', `--directory=${home}`, '--no-same-owner'],
      ...['--preserve-permissions', '--delay-directory-restore', '--warning=none'],
    ],
    AS_TENANT,
  )
  const clean = new PassThrough({ highWaterMark: 1024 * 1024 })
  let wake = (): void => undefined
  clean.on('error', () => undefined)
  clean.on('drain', () => wake())
  clean.on('close', () => wake())
  const put = async (chunk: Buffer): Promise<void> => {
    const ready = new Promise<void>((resolve) => (wake = resolve))
    if (!clean.destroyed && !clean.write(chunk)) await ready
    if (clean.destroyed) throw new Error('what writes the files has ended')
  }
  const rules = createEntryRules(home)
  const done = { entries: 0, bytes: 0 }
  const skipped = createSkipped()
  const reading = readTar(packed, limits, async (entry, content) => {
    if (rules.isForeign(entry)) return skipped.add(textOf(entry.name))
    const problem = rules.problem(entry)
    if (problem !== null || entry.type === 'other')
      throw conflict(`What the other host sent is refused: ${problem ?? 'an unknown member'}.`)
    await put(tarHeader(entry))
    for await (const chunk of content) await put(chunk)
    await put(tarPadding(entry))
    done.entries += 1
    done.bytes += entry.sizeBytes
  })
    .then(async () => {
      await put(TAR_END)
      clean.end()
    })
    .catch((error: unknown) => {
      clean.destroy(error instanceof Error ? error : new Error(String(error)))
      throw error
    })
  const [written, read] = await Promise.allSettled([feed(program, args, clean), reading])
  if (written.status === 'rejected') {
    if (!(written.reason instanceof CommandError)) throw written.reason
    throw unavailable(
      `Files could not be written into the home of ${username} on the other host: ${written.reason.message.slice(0, 500)}`,
      written.reason,
    )
  }
  if (read.status === 'rejected') throw read.reason
  return { ...done, ...skipped.result() }
}
