import { hkdfSync } from 'node:crypto'
import { createKeyFiles } from '../../backups/records/key-files.ts'

/** What follows from the key of a host: its name in places that several hosts share, and the passwords of its repositories. */
export interface SnapshotKey {
  own: boolean
  /** 16 hexadecimal digits; stays the same wherever the key goes. */
  hostId: string
  passwordOf(username: string): string
}

/** Keys by which this host can read snapshots. */
export interface SnapshotKeys {
  /** Its own first, which is made when it is asked for first, then those that were laid beside it. */
  all(): Promise<[SnapshotKey, ...SnapshotKey[]]>
}

/** `docs/backup-format.md` tells how to do this with openssl. */
const derived = (key: Buffer, info: string, bytes: number): string =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), info, bytes)).toString('hex')

const keyOf = (bytes: Buffer, own: boolean): SnapshotKey => ({
  own,
  hostId: derived(bytes, 'berth snapshots host', 8),
  passwordOf: (username) => derived(bytes, `berth snapshots of ${username}`, 32),
})

/** Keys in `directory` (root's alone): `own.key`, and those of other hosts beside it. */
export const createSnapshotKeys = (directory: string): SnapshotKeys => {
  const files = createKeyFiles(directory, 'snapshots')
  return {
    async all() {
      const own = keyOf(await files.own(), true)
      return [own, ...(await files.others()).map((bytes) => keyOf(bytes, false))]
    },
  }
}
