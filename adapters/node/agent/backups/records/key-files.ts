import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { codeOf } from '../../../layout/error-code.ts'

const KEY_BYTES = 32
const OWN = 'own.key'

/** Keys of 32 bytes in a directory that is root's alone, each a file of 64 hexadecimal digits. */
export interface KeyFiles {
  /** That of this host, `own.key`, made when it is asked for first. */
  own(): Promise<Buffer>
  /** Those of other hosts, laid beside it as `<any name>.key`; what is no key is passed over. */
  others(): Promise<Buffer[]>
}

const parseKey = (text: string): Buffer | null =>
  /^[0-9a-f]{64}\s*$/.test(text) ? Buffer.from(text.trim(), 'hex') : null

const isCode = (error: unknown, code: string): boolean => codeOf(error) === code

/** Makes the key whole or not at all; one that is there already stays. */
const makeOwn = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const fresh = path.join(directory, `.own.${process.pid}.${randomBytes(4).toString('hex')}`)
  const handle = await open(fresh, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString('hex')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(fresh, path.join(directory, OWN))
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    await rm(fresh)
  }
}

/** Keys in `directory`; `what` they are keys of, for people. */
export const createKeyFiles = (directory: string, what: string): KeyFiles => {
  const read = async (name: string): Promise<Buffer | null> =>
    parseKey(await readFile(path.join(directory, name), 'utf8'))
  return {
    async own() {
      const key = await read(OWN).catch(async (error: unknown) => {
        if (!isCode(error, 'ENOENT')) throw error
        await makeOwn(directory)
        return read(OWN)
      })
      // Another one in its place would leave older backups unreadable without a word.
      if (key === null) throw new Error(`${path.join(directory, OWN)} is not a key of ${what}`)
      return key
    },
    async others() {
      const keys: Buffer[] = []
      for (const name of (await readdir(directory).catch(() => [])).sort()) {
        if (!name.endsWith('.key') || name === OWN) continue
        const key = await read(name).catch(() => null)
        if (key !== null) keys.push(key)
      }
      return keys
    },
  }
}
