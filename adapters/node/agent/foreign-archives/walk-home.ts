import { Readable } from 'node:stream'
import type {
  ForeignAccount,
  ForeignTree,
} from '#handlers/domain/foreign-archives/foreign-account.ts'
import { createEntryRules } from '../../archives/entry-rules.ts'
import { bytesOf, readTar } from '../../archives/tar-reader.ts'
import type { OtherEntry, TarEntry, TarLimits } from '../../archives/tar-reader.ts'
import { decompressed, openCompressed } from './open-compressed.ts'

/** Folders of a home that are the other panel's, or that every home here has of its own. */
const LEFT_BEHIND = ['.cpanel', '.softaculous', '.trash', 'access-logs', 'logs', 'tmp'].map(bytesOf)

/** Document roots lie no deeper. */
const MAX_DEPTH = 32

/** Read and entered by the owner; documents are read by the web server too. */
const OWNERS_BITS = 0o700
const VISITORS_BITS = 0o055

/** Finds the tree that a member of the archive is, or is in. */
const treeFinder = (trees: readonly ForeignTree[]) => {
  const isFolder = ({ member }: ForeignTree): boolean => member.endsWith('/')
  const folders = trees.filter(isFolder)
  const inner = new Map(
    trees.filter((tree) => !isFolder(tree)).map((tree) => [bytesOf(tree.member), tree]),
  )
  return (name: string): ForeignTree | undefined =>
    inner.get(name) ?? folders.find(({ member }) => name.startsWith(bytesOf(member)))
}

/** The folders below the home that lead to a site, and those of the sites. */
const foldersToSites = (account: ForeignAccount): ReadonlySet<string> =>
  new Set(
    account.domains.flatMap(({ root }) => {
      const parts = bytesOf(root).split('/').slice(0, MAX_DEPTH)
      return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
    }),
  )

const joined = (into: string, name: string): string =>
  into === '' ? name : name === '' ? into : `${into}/${name}`

/** The target of a link as it is below the new home: absolute ones of the old home follow it. */
const moved = (link: string, from: string, to: string): string =>
  link === from || link.startsWith(`${from}/`) ? to + link.slice(from.length) : link

/**
 * Goes through the home in another panel's archive, whatever parts it is in, and gives
 * each member as it is to be below `home`, judged as those of our own archives. What
 * is not taken (hard links, devices, links that lead out, a name that came before) is
 * told to `onSkipped`. Members of inner archives count towards the same limits.
 */
export const walkHome = async (input: {
  file: string
  account: ForeignAccount
  /** Absolute path of the home here. */
  home: string
  limits: TarLimits
  onSkipped: (name: string, why: string) => void
  visit: (entry: TarEntry, content: AsyncIterable<Buffer>) => Promise<void>
}): Promise<void> => {
  const { account, home, limits } = input
  const rules = createEntryRules(home)
  const seen = new Set<string>()
  const toSites = foldersToSites(account)
  const treeOf = treeFinder(account.trees)
  const [from, to] = [bytesOf(account.home), bytesOf(home)]
  let left = { ...limits }

  const modeOf = (entry: TarEntry, name: string): number => {
    if (entry.type !== 'directory') return entry.mode
    return entry.mode | OWNERS_BITS | (toSites.has(name) ? VISITORS_BITS : 0)
  }
  const count = (entry: TarEntry | OtherEntry): void => {
    left = {
      maxEntries: left.maxEntries - 1,
      maxBytes: left.maxBytes - (entry.type === 'other' ? 0 : entry.sizeBytes),
    }
  }
  const put = async (
    entry: TarEntry | OtherEntry,
    name: string,
    content: AsyncIterable<Buffer>,
  ): Promise<void> => {
    if (name === '' || name === '.') return
    const [top] = name.split('/', 1)
    if (top !== undefined && LEFT_BEHIND.includes(top)) return
    const here =
      entry.type === 'other'
        ? { ...entry, name }
        : { ...entry, name, mode: modeOf(entry, name), link: moved(entry.link, from, to) }
    // The same folder may come from two parts of the archive; the same file may not.
    const isAgain = seen.has(name)
    const why = isAgain && here.type !== 'directory' ? 'it is there twice' : rules.problem(here)
    if (why !== null || here.type === 'other') {
      input.onSkipped(Buffer.from(name, 'latin1').toString('utf8'), why ?? 'it is no file')
      return
    }
    seen.add(name)
    if (!isAgain) await input.visit(here, content)
  }

  await readTar(await openCompressed(input.file), limits, async (entry, content) => {
    count(entry)
    const tree = treeOf(entry.name)
    if (tree === undefined) return
    if (tree.member.endsWith('/')) {
      const rest = entry.name.slice(bytesOf(tree.member).length)
      await put(entry, joined(bytesOf(tree.into), rest), content)
    } else if (entry.type === 'file') {
      const inner = decompressed(Readable.from(content), tree.compression)
      await readTar(inner, left, (one, its) => {
        count(one)
        return put(one, joined(bytesOf(tree.into), one.name), its)
      })
    }
  })
}
