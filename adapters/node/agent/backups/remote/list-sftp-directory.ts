import type SftpClient from 'ssh2-sftp-client'
import { MAX_LISTED } from './remote-store.ts'
import type { StoredFile } from './remote-store.ts'

/** One piece of a listing, as the protocol has it. */
interface Piece {
  filename: string
  attrs: { size: number; isFile(): boolean }
}
type Done<T> = (error: (Error & { code?: number }) | undefined | null, value: T) => void

/** The library asks for whole directories, and an endless one would fill memory; its own client does not. */
interface Wire {
  opendir(path: string, done: Done<Buffer>): void
  readdir(handle: Buffer, done: Done<Piece[]>): void
  close(handle: Buffer, done: (error?: unknown) => void): void
}

const END_OF_FILE = 1
/** So many entries are looked at. */
const MAX_ENTRIES = 200_000

const asked = <T>(ask: (done: Done<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    ask((error, value) => (error ? reject(error) : resolve(value)))
  })

/** Plain files of a directory that are wanted, by name, at most `MAX_LISTED`. */
export const listSftpDirectory = async (
  client: SftpClient,
  directory: string,
  isWanted: (name: string) => boolean,
): Promise<StoredFile[]> => {
  const { sftp } = client as unknown as { sftp: Wire }
  const handle = await asked<Buffer>((done) => sftp.opendir(directory, done))
  const files: StoredFile[] = []
  try {
    for (let seen = 0; seen < MAX_ENTRIES && files.length < MAX_LISTED;) {
      let pieces: Piece[]
      try {
        pieces = await asked<Piece[]>((done) => sftp.readdir(handle, done))
      } catch (error) {
        if ((error as { code?: number }).code === END_OF_FILE) break
        throw error
      }
      if (pieces.length === 0) break
      seen += pieces.length
      for (const { filename, attrs } of pieces)
        if (attrs.isFile() && !filename.includes('/') && isWanted(filename))
          files.push({ name: filename, sizeBytes: attrs.size })
    }
  } finally {
    sftp.close(handle, () => undefined)
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_LISTED)
}
