import { createEntryRules } from '../../archives/entry-rules.ts'
import type { HomeSource } from '../backups/living-home.ts'
import { bytesOf, textOf } from '../../archives/tar-reader.ts'
import type { TarEntry } from '../../archives/tar-reader.ts'
import { nodesOf } from './listed-snapshots.ts'
import type { ListedSnapshot } from './listed-snapshots.ts'
import { outputOfRestic } from './repository/repositories.ts'
import type { Repository } from './repository/repositories.ts'
import { readResticTar } from './restic-tar.ts'
import type { ResticMember } from './restic-tar.ts'

const MAX_SPECIAL = 100_000

/** Paths of devices, pipes and sockets below a directory, which restic dumps as empty files. */
const specialsOf = async (
  repository: Repository,
  { id }: ListedSnapshot,
  directory: string,
): Promise<Set<string>> => {
  const found = new Set<string>()
  for await (const { type, path } of nodesOf(repository, id, { below: directory }))
    if (!['file', 'dir', 'symlink'].includes(type) && path.startsWith(`${directory}/`))
      if (found.size < MAX_SPECIAL) found.add(path)
  return found
}

/** Whether the account itself may read it; what it may not, it gets by no backup either. */
const isReadable = (member: ResticMember, uid: number | null): boolean =>
  uid === null ||
  member.type === 'symlink' ||
  member.uid === uid ||
  (member.gid === uid && (member.mode & 0o040) !== 0) ||
  (member.mode & 0o004) !== 0

/**
 * The home in a snapshot, or a folder of it, by names below that and judged as the members of
 * archives are. `uid` is the account's (and its group's) where the snapshot was made; null:
 * everything was its own.
 */
export const snapshotHome =
  (input: {
    repository: Repository
    snapshot: ListedSnapshot
    uid: number | null
    /** Below the home; '' is all of it. */
    folder?: string
    wants?: (entry: TarEntry) => boolean
    signal?: AbortSignal | undefined
  }): HomeSource =>
  async (put, skipped) => {
    const { repository, snapshot, uid, folder = '', wants = () => true, signal } = input
    const directory = folder === '' ? snapshot.home : `${snapshot.home}/${folder}`
    const specials = await specialsOf(repository, snapshot, directory)
    const rules = createEntryRules(snapshot.home)
    const hidden: string[] = []
    const args = ['dump', '--no-lock', '--archive', 'tar', '--', snapshot.id, directory]
    const source = outputOfRestic(repository, repository.start(args, { signal }))
    const prefix = `${bytesOf(directory.slice(1))}/`
    try {
      await readResticTar(source as AsyncIterable<Buffer>, async (member, content) => {
        if (!member.name.startsWith(prefix)) return
        const { uid: owner, gid: group, ...entry } = member
        const inHome = {
          ...entry,
          name: bytesOf(folder === '' ? '' : `${folder}/`) + entry.name.slice(prefix.length),
        }
        if (inHome.name === '') return
        const { name } = inHome
        const isHidden =
          !isReadable({ ...inHome, uid: owner, gid: group }, uid) ||
          hidden.some((one) => name.startsWith(`${one}/`))
        if (isHidden && entry.type === 'directory') hidden.push(name)
        const path = `/${textOf(member.name)}`
        if (isHidden || specials.has(path) || rules.problem(inHome) !== null)
          skipped.add(textOf(name))
        else if (wants(inHome)) await put(inHome, content)
      })
    } finally {
      source.destroy()
    }
  }
