import type { SnapshotPlace, SnapshotsPort } from '../../../ports/host/backups/snapshots.ts'
import type { BackedUpDatabase } from '../../../ports/store/records.ts'

/** A file, folder or dump of a snapshot as it is downloaded. */
export interface SnapshotDownload {
  filename: string
  /** Null: known at the end only. */
  sizeBytes: number | null
  body: ReadableStream<Uint8Array>
}

/** Begins to read from a snapshot. What cannot be read at all is known before a byte of it goes out. */
export const readSnapshot = async (
  snapshots: SnapshotsPort,
  place: SnapshotPlace & { snapshotId: string },
  what: { path: string } | { database: BackedUpDatabase },
): Promise<SnapshotDownload> => {
  const readId = crypto.randomUUID()
  const { filename, sizeBytes } = await snapshots.open({ ...place, readId, what })
  const close = () => snapshots.close({ readId }).catch(() => undefined)
  let first: string | null
  try {
    first = (await snapshots.read({ readId })).content
  } catch (error) {
    await close()
    throw error
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const content = first ?? (await snapshots.read({ readId })).content
          first = null
          if (content !== '')
            return controller.enqueue(Uint8Array.from(atob(content), (char) => char.charCodeAt(0)))
        } catch (error) {
          await close()
          throw error
        }
        await close()
        controller.close()
      },
      cancel: async () => void (await close()),
    },
    { highWaterMark: 0 },
  )
  return { filename, sizeBytes, body }
}
