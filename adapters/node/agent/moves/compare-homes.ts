import { Readable } from 'node:stream'
import { asUser } from '../../process/as-user.ts'
import { feed } from '../../process/stream-command.ts'
import { createEntryRules } from '../../archives/entry-rules.ts'
import { textOf } from '../../archives/tar-reader.ts'
import type { HomeOwner } from '../backups/home-tar.ts'
import { createSkipped } from '../backups/skipped.ts'
import { listHome, readHomeList } from './home-list.ts'
import type { ListedEntry } from './home-list.ts'

/** What one home lacks of another. */
export interface HomeDifference {
  /** Names of what is other there, each behind the directory that it lies in. */
  wanted: string[]
  /** Of what is here, and not there or of another kind. */
  gone: string[]
  skipped: ReturnType<ReturnType<typeof createSkipped>['result']>
}

const isOther = (here: ListedEntry | undefined, there: ListedEntry, since: number): boolean =>
  here === undefined ||
  here.type !== there.type ||
  here.link !== there.link ||
  here.sizeBytes !== there.sizeBytes ||
  (there.type !== 'symlink' && here.mode !== there.mode) ||
  // An archive tells whole seconds alone, within which a file may have changed once more.
  (there.type !== 'symlink' && here.mtimeSecs !== there.mtimeSecs) ||
  (there.type === 'file' && there.ctimeSecs >= since)

const parentOf = (name: string): string | null => {
  const slash = name.lastIndexOf('/')
  return slash === -1 ? null : name.slice(0, slash)
}

/** The outermost of these names: what lies below one goes with it. */
const outermost = (names: ReadonlySet<string>): string[] =>
  [...names].filter((name) => {
    for (let at = parentOf(name); at !== null; at = parentOf(at)) if (names.has(at)) return false
    return true
  })

/**
 * Compares what another host tells of a home with the one here. `sinceSecs`: by the clock of there,
 * files that changed since are other whatever they look like. What may not move is counted and left out.
 */
export const compareHomes = async (
  owner: HomeOwner,
  told: AsyncIterable<Buffer>,
  sinceSecs: number | null,
): Promise<HomeDifference> => {
  const here = new Map<string, ListedEntry>()
  for await (const entry of readHomeList(listHome(owner) as AsyncIterable<Buffer>))
    here.set(entry.name, entry)
  const rules = createEntryRules(owner.home)
  const skipped = createSkipped()
  const there = new Map<string, ListedEntry>()
  const wanted = new Set<string>()
  for await (const entry of readHomeList(told)) {
    const { type } = entry
    const moves = type !== 'other' && type !== 'closed'
    const problem = moves ? rules.problem({ ...entry, type }) : ''
    if (problem !== null) {
      skipped.add(textOf(entry.name))
      continue
    }
    there.set(entry.name, entry)
    if (isOther(here.get(entry.name), entry, sinceSecs ?? Infinity)) wanted.add(entry.name)
  }
  const gone = new Set<string>()
  for (const [name, { type }] of here) if (there.get(name)?.type !== type) gone.add(name)
  // What is put into a directory, or taken out of it, changes its time.
  for (const name of [...wanted, ...gone]) {
    const parent = parentOf(name)
    if (parent !== null && there.get(parent)?.type === 'directory') wanted.add(parent)
  }
  return {
    wanted: [...there.keys()].filter((name) => wanted.has(name)),
    gone: outermost(gone),
    skipped: skipped.result(),
  }
}

/** Removes them with all that lies below, by a process of the account. */
export const removeNames = async (
  { home, runAs }: HomeOwner,
  names: readonly string[],
): Promise<void> => {
  if (names.length === 0) return
  const { program, args } = asUser(
    runAs,
    '/usr/bin/xargs',
    ['--null', '--no-run-if-empty', '--', '/usr/bin/rm', '--recursive', '--force', '--'],
    { dieWithParent: true, limited: true },
  )
  const before = Buffer.from(`${home}/`)
  const paths = names.flatMap((name) => [before, Buffer.from(`${name}\0`, 'latin1')])
  await feed(program, args, Readable.from([Buffer.concat(paths)]))
}
