import { closeSync, openSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { CoreError } from './core-error.ts'
import { takeArchive } from './take-archive.ts'
import { unpackCore } from './unpack-core.ts'

const aboutSchema = z.object({
  version: z.string(),
  locale: z.string().nullable(),
  origin: z.enum(['archive', 'official']),
  file: z.string(),
  sha256: z.string(),
  compared: z.boolean(),
  key: z.string().nullable(),
})

/** A WordPress that lies unpacked on this host. */
export interface StoredCore extends z.infer<typeof aboutSchema> {
  /** What it is called by: `6.5.2`, or `6.5.2-de_DE` of a language alone. */
  name: string
  /** Of the WordPress itself; absolute. Everybody may read it. */
  directory: string
}

/** An archive that is to be stored. */
export interface NewCore {
  /** Absolute. */
  file: string
  /** Where it is from, for people: `file` itself, or an address. */
  from?: string
  origin: StoredCore['origin']
  /** What it must be; null: nobody said. */
  sha256: string | null
  /** Whether it was compared with a sum of another kind already. */
  compared?: boolean
  /** Of the file in a configured folder that it stands for; null: it stays until it is removed. */
  key: string | null
  /** What it must be; default: what its name says, where that is `wordpress-<version>[-<language>]`. */
  expected?: { version: string; locale: string | null }
}

/** Folders of what was not finished are taken away once nobody can be at work in them any more. */
const LEFT_AFTER_MS = 60 * 60_000
const CORE = /^core-(?=[0-9])/
/** Names of archives as WordPress gives them out. */
const ARCHIVE =
  /^wordpress-([0-9][0-9A-Za-z.]*(?:-(?:alpha|beta|RC)[0-9]*)?)(?:-([a-z]{2,3}(?:_[A-Z]{2})?(?:_[a-z]{2,10})?))?\.(?:zip|tar\.gz|tgz)$/

/** Where WordPress lies unpacked, below the state directory. */
export const coresIn = (stateDir: string): string => join(stateDir, 'wordpress-cores')

/** How a core is called; see `StoredCore.name`. */
export const coreName = ({
  version,
  locale,
}: {
  version: string
  locale: string | null
}): string => (locale === null ? version : `${version}-${locale}`)

/** What the name of an archive says of it; null where it is named otherwise. */
export const archiveNamed = (name: string): { version: string; locale: string | null } | null => {
  const [, version, locale = null] = ARCHIVE.exec(name) ?? []
  return version === undefined ? null : { version, locale }
}

/** What is stored in `directory`, which may be missing; what cannot be read is passed over. */
export const storedCores = async (directory: string): Promise<StoredCore[]> => {
  const found: StoredCore[] = []
  for (const entry of (await readdir(directory).catch(() => [])).sort()) {
    if (!CORE.test(entry)) continue
    try {
      const text = await readFile(join(directory, entry, 'about.json'), 'utf8')
      const about = aboutSchema.parse(JSON.parse(text))
      const name = coreName(about)
      if (entry === `core-${name}`)
        found.push({ ...about, name, directory: join(directory, entry, 'wordpress') })
    } catch {
      // Half removed, or put there by hand.
    }
  }
  return found
}

const sweep = async (directory: string): Promise<void> => {
  for (const name of await readdir(directory)) {
    if (!/^\.(?:new|gone)-/.test(name)) continue
    const place = join(directory, name)
    const facts = await stat(place).catch(() => null)
    if (facts !== null && Date.now() - facts.mtimeMs > LEFT_AFTER_MS)
      await rm(place, { recursive: true, force: true })
  }
}

/**
 * Unpacks an archive into `directory`, which is made where it is missing; it counts at once.
 *
 * @throws CoreError where it is refused, or that version is there already
 */
export const storeCore = async (core: NewCore, directory: string): Promise<StoredCore> => {
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o755)
  await sweep(directory)
  const fresh = await mkdtemp(join(directory, '.new-'))
  try {
    const archive = join(fresh, 'archive')
    const sha256 = await takeArchive(core.file, archive)
    if (core.sha256 !== null && core.sha256.toLowerCase() !== sha256)
      throw new CoreError(`its SHA-256 is ${sha256}, and should be ${core.sha256}`)
    const whole = join(fresh, 'core')
    for (const path of [whole, join(whole, 'wordpress')]) {
      await mkdir(path)
      await chmod(path, 0o755)
    }
    const fd = openSync(archive, 'r')
    const facts = await unpackCore(fd, join(whole, 'wordpress')).finally(() => closeSync(fd))
    const expected = core.expected ?? archiveNamed(basename(core.file))
    const name = coreName(facts)
    if (expected !== null && coreName(expected) !== name)
      throw new CoreError(`it holds WordPress ${name}, and should hold ${coreName(expected)}`)
    const { origin, key, file, from = file } = core
    const compared = core.compared === true || core.sha256 !== null
    const about = { ...facts, origin, file: from, sha256, compared, key }
    await writeFile(join(whole, 'about.json'), `${JSON.stringify(about)}\n`)
    const place = join(directory, `core-${name}`)
    await rename(whole, place).catch((error: unknown) => {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['EEXIST', 'ENOTEMPTY'].includes(code)) throw error
      throw new CoreError(
        `WordPress ${name} is there already. Remove that first: berth wordpress core remove ${name}`,
      )
    })
    return { ...about, name, directory: join(place, 'wordpress') }
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Takes away one that is stored; what is being copied from it at this moment fails, and is undone. */
export const dropCore = async ({ name }: StoredCore, directory: string): Promise<void> => {
  const gone = await mkdtemp(join(directory, '.gone-'))
  await rename(join(directory, `core-${name}`), join(gone, 'core'))
  await rm(gone, { recursive: true, force: true })
}
