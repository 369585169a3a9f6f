import type { Readable } from 'node:stream'
import { AppError, conflict } from '#handlers/errors.ts'
import { asUser } from '../../process/as-user.ts'
import { outputOf } from '../../process/stream-command.ts'
import type { HomeOwner } from '../backups/home-tar.ts'
import { STAGING_PREFIX } from '../files/helper/swap-home.ts'

const FIND = '/usr/bin/find'
/** Some directory went away, or could not be read, while it was gone through. */
const SOME_FAILED = 1
/** More than the longest path, its link and the numbers before them. */
const MAX_RECORD_BYTES = 16 * 1024
/** Entries of a home. */
export const MAX_ENTRIES = 2_000_000
/** Of all names and links of a list, which are held in memory. */
export const MAX_NAMES_BYTES = 128 * 2 ** 20

/** An entry of a home. `name` and `link` are bytes, one to a character (latin1). */
export interface ListedEntry {
  /** `other`: what does not move; `closed`: the account may not read it. */
  type: 'file' | 'directory' | 'symlink' | 'other' | 'closed'
  mode: number
  sizeBytes: number
  mtimeSecs: number
  /** When anything of it changed last, with its fraction. */
  ctimeSecs: number
  /** Below the home. */
  name: string
  link: string
}

const TYPES: Readonly<Record<string, ListedEntry['type']>> = {
  f: 'file',
  d: 'directory',
  l: 'symlink',
  u: 'closed',
}

/** All that is in a home, told by a process of the account: of each entry its facts and name, then its link, each ended by NUL. */
export const listHome = ({ home, runAs }: HomeOwner): Readable => {
  const closed = ['(', '-type', 'f', '-o', '-type', 'd', ')', '!', '-readable']
  const { program, args } = asUser(
    runAs,
    FIND,
    [
      ...['-P', home, '-xdev', '-mindepth', '1'],
      ...['-path', `${home}/${STAGING_PREFIX}*`, '-prune', '-o'],
      ...[...closed, '-printf', 'u %m 0 0 0 %P\\0\\0', '-prune', '-o'],
      ...['-printf', '%y %m %s %T@ %C@ %P\\0%l\\0'],
    ],
    { dieWithParent: true, limited: true },
  )
  return outputOf(program, args, { goodCodes: [0, SOME_FAILED] })
}

const FACTS =
  /^([a-zA-Z?]) ([0-7]{1,4}) (\d{1,16}) (-?\d{1,12})(?:\.\d{1,12})? (-?\d{1,12}(?:\.\d{1,12})?) /

const malformed = (): Error => conflict('A list of files is refused: it is malformed.')

/** Texts that end with NUL, as latin1; 409 where one is none, 413 where they are too much together. */
export async function* fieldsOf(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  let sizeBytes = 0
  for await (const chunk of source) {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_NAMES_BYTES)
      throw new AppError(
        413,
        `The names of all files together are longer than ${MAX_NAMES_BYTES / 2 ** 20} MiB. Remove files that nobody needs, or pack them.`,
      )
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (let end = all.indexOf(0, at); end !== -1; end = all.indexOf(0, at)) {
      yield all.toString('latin1', at, end)
      at = end + 1
    }
    rest = Buffer.from(all.subarray(at))
    if (rest.length > MAX_RECORD_BYTES) throw malformed()
  }
  if (rest.length > 0) throw malformed()
}

/** The entries of such a list, which is hostile: 409 for what none is. */
export async function* readHomeList(source: AsyncIterable<Buffer>): AsyncGenerator<ListedEntry> {
  let head: string | null = null
  let entries = 0
  for await (const field of fieldsOf(source)) {
    if (head === null) {
      head = field
      continue
    }
    const [facts, kind = '', mode = '', size, mtime, ctime] = FACTS.exec(head) ?? []
    if (facts === undefined || (entries += 1) > MAX_ENTRIES) throw malformed()
    yield {
      type: TYPES[kind] ?? 'other',
      mode: Number.parseInt(mode, 8) & 0o777,
      sizeBytes: kind === 'f' ? Number(size) : 0,
      mtimeSecs: Number(mtime),
      ctimeSecs: Number(ctime),
      name: head.slice(facts.length),
      link: kind === 'l' ? field : '',
    }
    head = null
  }
  if (head !== null) throw malformed()
}
