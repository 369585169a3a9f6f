import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, chmod, chown } from 'node:fs/promises'
import path from 'node:path'
import { siteFileName } from '#handlers/domain/domains/wildcard-name.ts'
import { codeOf } from '../../layout/error-code.ts'

/** Generated files: one per virtual host, replaced whole. */
export interface VhostFiles {
  /** Text of the host's file; null when there is none. Small files of our own: read at once, ten thousand of them are a matter of a tenth of a second. */
  read(domain: string): string | null
  /** Writes the text, or removes the file for null. */
  set(domain: string, text: string | null): Promise<void>
  /** Removes every generated file that belongs to none of `domains`; answers how many. */
  removeOthers(domains: readonly string[]): Promise<number>
}

const SUFFIX = '.toml'
/** Longer names do not fit into a file name with what is added to them. */
const MAX_NAME = 240

/** Name of a host's file within the directory. */
export const vhostFileName = (domain: string): string => {
  const name = siteFileName(domain)
  if (name.length <= MAX_NAME) return name + SUFFIX
  const hash = createHash('sha256').update(domain).digest('hex').slice(0, 32)
  return `${name.slice(0, 200)}-${hash}${SUFFIX}`
}

const missing = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** `webGid` may read the files; null in rootless mode. The directory is 0750, files 0640. */
export const openVhostFiles = async (
  directory: string,
  webGid: number | null,
): Promise<VhostFiles> => {
  await mkdir(directory, { recursive: true, mode: 0o750 })
  await chmod(directory, 0o750)
  if (webGid !== null) await chown(directory, 0, webGid)

  const read = (domain: string): string | null => {
    try {
      return readFileSync(path.join(directory, vhostFileName(domain)), 'utf8')
    } catch (error) {
      if (missing(error)) return null
      throw error
    }
  }

  const write = async (file: string, text: string): Promise<void> => {
    // The name does not match the include pattern until the file is whole.
    const temporary = path.join(directory, `.${path.basename(file)}.new`)
    const handle = await open(temporary, 'w', 0o640)
    try {
      await handle.writeFile(text)
      await handle.chmod(0o640)
      if (webGid !== null) await handle.chown(0, webGid)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  }

  return {
    read,
    async set(domain, text) {
      const file = path.join(directory, vhostFileName(domain))
      if (text === null) await rm(file, { force: true })
      else await write(file, text)
    },
    async removeOthers(domains) {
      const wanted = new Set(domains.map(vhostFileName))
      const names = (await readdir(directory)).filter(
        (name) => name.endsWith(SUFFIX) && !wanted.has(name),
      )
      await Promise.all(names.map((name) => rm(path.join(directory, name), { force: true })))
      return names.length
    },
  }
}
