import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFile } from '../layout/write-whole.ts'

/** A file that is being written. */
export interface WrittenMessage {
  write(bytes: Uint8Array): Promise<void>
  /** Makes it outlive a power cut; answers its bytes. */
  finish(): Promise<number>
  /** Removes it. */
  abandon(): Promise<void>
}

/** Texts of messages, each a file as it goes to the relay. */
export interface MessageFiles {
  path(id: string): string
  create(id: string): Promise<WrittenMessage>
  remove(id: string): Promise<void>
  /** Removes all but those; what a crash left. */
  removeOthers(known: ReadonlySet<string>): void
  /** The first bytes, and whether there are more. */
  beginning(id: string, most: number): Promise<{ bytes: Buffer; truncated: boolean }>
}

const ENDING = '.eml'

/** Files below `directory`, which is made where missing and nobody else's. */
export const createMessageFiles = (directory: string): MessageFiles => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = (id: string): string => join(directory, `${id}${ENDING}`)
  const written = (id: string, handle: FileHandle): WrittenMessage => {
    let size = 0
    return {
      async write(bytes) {
        size += bytes.length
        await handle.writeFile(bytes)
      },
      async finish() {
        await handle.sync()
        await handle.close()
        syncFile(directory)
        return size
      },
      async abandon() {
        await handle.close().catch(() => undefined)
        await rm(path(id), { force: true })
      },
    }
  }
  return {
    path,
    create: async (id) => written(id, await open(path(id), 'wx', 0o600)),
    remove: (id) => rm(path(id), { force: true }),
    removeOthers(known) {
      for (const name of readdirSync(directory))
        if (!name.endsWith(ENDING) || !known.has(name.slice(0, -ENDING.length)))
          rmSync(join(directory, name), { force: true, recursive: true })
    },
    async beginning(id, most) {
      const handle = await open(path(id), 'r')
      try {
        const bytes = Buffer.alloc(most)
        const { bytesRead } = await handle.read(bytes, 0, most, 0)
        const { size } = await handle.stat()
        return { bytes: bytes.subarray(0, bytesRead), truncated: size > bytesRead }
      } finally {
        await handle.close()
      }
    },
  }
}
