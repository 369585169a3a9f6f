import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { GROUP_KINDS } from './account-groups.ts'
import type { GroupKind } from './account-groups.ts'

/** A value of a group. */
export interface GroupFile {
  /** Null: of the account's group, which holds both. */
  kind: GroupKind | null
  file: string
  value: string
}

/** Below the group of an account's own programs. */
const partDirectory = (part: string): string => `part-${part}`

/** Shortly after the last process of a group ended the kernel may still call it busy. */
const BUSY_TRIES = 40
const BUSY_WAIT_MS = 25

export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null

/** Directories of accounts below one of this installation, the same in each of several trees. */
export interface GroupTree {
  /** Makes what is missing. */
  make(uid: number): void
  /** The files that a process is written to that shall be of that group, or of that part of the account's own programs. */
  entries(uid: number, kind: GroupKind, part?: string): string[]
  /** Makes what is missing of a part, where the processor is held. */
  makePart(uid: number, part: string): void
  /** Writes a value of a part; throws where that is refused. No effect where the processor is not held. */
  writePart(uid: number, part: string, file: string, value: string): void
  removePart(uid: number, part: string): Promise<void>
  /** Writes those values whose file there is; answers the files that did not take theirs. */
  write(uid: number, values: readonly GroupFile[]): string[]
  /** Null where no tree has it. */
  read(uid: number, kind: GroupKind | null, file: string): string | null
  take(uid: number, kind: GroupKind, pids: readonly number[]): void
  uids(): number[]
  remove(uid: number): Promise<void>
}

/** What lies below a group, which must go before it does. */
const partsIn = (path: string): string[] =>
  existsSync(path)
    ? readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [join(path, entry.name)] : [],
      )
    : []

const removeDirectory = async (path: string): Promise<void> => {
  for (let tries = 0; ; tries += 1) {
    try {
      rmdirSync(path)
      return
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return
      if (codeOf(error) !== 'EBUSY' || tries === BUSY_TRIES) throw error
    }
    await delay(BUSY_WAIT_MS)
  }
}

/** What differs between trees. */
export interface TreeWays {
  /** That of `bases` in which the processor is held; null: in none. */
  processor: string | null
  /** Told of each directory that was made and will hold others. */
  prepare?(directory: string): void
  /** Told of each part that was made, and of the group that it lies in. */
  preparePart?(part: string, group: string): void
}

/** `bases`: our directory in each tree. */
export const createGroupTree = (bases: readonly string[], ways: TreeWays): GroupTree => {
  const { processor, prepare = () => undefined, preparePart = () => undefined } = ways
  const made = new Set<number>()
  const directoryOf = (base: string, uid: number, kind: GroupKind | null): string =>
    kind === null ? join(base, String(uid)) : join(base, String(uid), kind)
  const fileIn = (uid: number, kind: GroupKind | null, file: string): string | null =>
    bases.map((base) => join(directoryOf(base, uid, kind), file)).find(existsSync) ?? null

  const make = (uid: number): void => {
    // One look each time: somebody else may have tidied up.
    if (made.has(uid) && bases.every((base) => existsSync(directoryOf(base, uid, 'programs'))))
      return
    for (const base of bases) {
      for (const path of [base, directoryOf(base, uid, null)])
        if (!existsSync(path)) {
          mkdirSync(path, { mode: 0o755 })
          prepare(path)
        }
      for (const kind of GROUP_KINDS) mkdirSync(directoryOf(base, uid, kind), { recursive: true })
    }
    made.add(uid)
  }
  const partOf = (uid: number, part: string): string | null =>
    processor === null ? null : join(directoryOf(processor, uid, 'programs'), partDirectory(part))
  return {
    make,
    entries: (uid, kind, part) =>
      bases.map((base) => {
        const divided = part !== undefined && base === processor && kind === 'programs'
        const path = divided ? partOf(uid, part) : null
        return join(path ?? directoryOf(base, uid, kind), 'cgroup.procs')
      }),
    makePart(uid, part) {
      make(uid)
      const path = partOf(uid, part)
      if (path === null || existsSync(path)) return
      mkdirSync(path)
      preparePart(path, dirname(path))
    },
    writePart(uid, part, file, value) {
      const path = partOf(uid, part)
      if (path !== null) writeFileSync(join(path, file), value)
    },
    async removePart(uid, part) {
      const path = partOf(uid, part)
      if (path !== null) await removeDirectory(path)
    },
    write(uid, values) {
      const refused: string[] = []
      for (const { kind, file, value } of values) {
        const path = fileIn(uid, kind, file)
        if (path === null) continue
        try {
          writeFileSync(path, value)
        } catch {
          refused.push(file)
        }
      }
      return refused
    },
    read(uid, kind, file) {
      const path = fileIn(uid, kind, file)
      try {
        return path === null ? null : readFileSync(path, 'utf8')
      } catch {
        return null
      }
    },
    take(uid, kind, pids) {
      for (const base of bases)
        for (const pid of pids) {
          try {
            writeFileSync(join(directoryOf(base, uid, kind), 'cgroup.procs'), String(pid))
          } catch (error) {
            // ESRCH: it has ended, EINVAL: it is about to.
            if (codeOf(error) !== 'ESRCH' && codeOf(error) !== 'EINVAL') throw error
          }
        }
    },
    uids() {
      const names = bases.flatMap((base) => (existsSync(base) ? readdirSync(base) : []))
      return [...new Set(names.filter((name) => /^\d+$/.test(name)).map(Number))]
    },
    async remove(uid) {
      made.delete(uid)
      for (const base of bases) {
        for (const kind of GROUP_KINDS) {
          const path = directoryOf(base, uid, kind)
          for (const part of partsIn(path)) await removeDirectory(part)
          await removeDirectory(path)
        }
        await removeDirectory(directoryOf(base, uid, null))
        // The last one takes ours along.
        try {
          rmdirSync(base)
        } catch {
          // Others are in it.
        }
      }
    },
  }
}
