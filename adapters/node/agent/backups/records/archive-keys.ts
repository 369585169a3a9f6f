import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { createKeyFiles } from './key-files.ts'

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

/** Keys in `directory` (root's alone): `own.key`, and those of other hosts beside it. */
export const createArchiveKeys = (directory: string): ArchiveKeys => {
  const files = createKeyFiles(directory, 'archives')
  const own = async (): Promise<ArchiveKey> => keyOf(await files.own(), true)
  return {
    own,
    async byId(id) {
      const mine = await own()
      if (mine.id === id) return mine
      for (const bytes of await files.others()) {
        const key = keyOf(bytes, false)
        if (key.id === id) return key
      }
      return null
    },
  }
}
