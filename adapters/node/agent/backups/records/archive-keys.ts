import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { link, mkdir, open, readFile, readdir, rm } from 'node:fs/promises'
import path from 'node:path'

const KEY_BYTES = 32
const OWN = 'own.key'
const CIPHER = 'aes-256-ctr'

/** The key of one host: it proves who made an archive, and seals what nobody else may read. */
export interface ArchiveKey {
  /** Names the key without telling anything of it. */
  id: string
  own: boolean
  /** Hexadecimal. */
  macOf(text: string): string
  fits(text: string, mac: string): boolean
  /** Encrypts or, being the same, decrypts. What is sealed stands below a MAC as a whole. */
  seal(plain: Buffer, iv: Buffer): Buffer
  unseal(sealed: Buffer, iv: Buffer): Buffer
}

/** Keys that this host can prove archives by. */
export interface ArchiveKeys {
  /** That of this host, made when it is asked for first. */
  own(): Promise<ArchiveKey>
  /** Also one of another host, that was laid beside it as `<any name>.key`; null: it is not here. */
  byId(id: string): Promise<ArchiveKey | null>
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** `docs/backup-format.md` tells how to do all of this with openssl. */
const keyOf = (bytes: Buffer, own: boolean): ArchiveKey => {
  const sealing = hmac(bytes, 'berth archive seal\n')
  const macOf = (text: string): string => hmac(bytes, text).toString('hex')
  return {
    id: macOf('berth archive key\n').slice(0, 16),
    own,
    macOf,
    fits: (text, mac) =>
      /^[0-9a-f]{64}$/.test(mac) && timingSafeEqual(hmac(bytes, text), Buffer.from(mac, 'hex')),
    seal(plain, iv) {
      const cipher = createCipheriv(CIPHER, sealing, iv)
      return Buffer.concat([cipher.update(plain), cipher.final()])
    },
    unseal(sealed, iv) {
      const decipher = createDecipheriv(CIPHER, sealing, iv)
      return Buffer.concat([decipher.update(sealed), decipher.final()])
    },
  }
}

const parseKey = (text: string): Buffer | null =>
  /^[0-9a-f]{64}\s*$/.test(text) ? Buffer.from(text.trim(), 'hex') : null

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

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

/** Keys in `directory` (root's alone): `own.key`, and those of other hosts beside it. */
export const createArchiveKeys = (directory: string): ArchiveKeys => {
  const read = async (name: string): Promise<ArchiveKey | null> => {
    const bytes = parseKey(await readFile(path.join(directory, name), 'utf8'))
    return bytes && keyOf(bytes, name === OWN)
  }
  const own = async (): Promise<ArchiveKey> => {
    const key = await read(OWN).catch(async (error: unknown) => {
      if (!isCode(error, 'ENOENT')) throw error
      await makeOwn(directory)
      return read(OWN)
    })
    // Another one in its place would leave older archives unproved without a word.
    if (key === null) throw new Error(`${path.join(directory, OWN)} is not a key of archives`)
    return key
  }
  return {
    own,
    async byId(id) {
      const mine = await own()
      if (mine.id === id) return mine
      for (const name of (await readdir(directory)).sort()) {
        if (!name.endsWith('.key') || name === OWN) continue
        const key = await read(name).catch(() => null)
        if (key?.id === id) return key
      }
      return null
    },
  }
}
