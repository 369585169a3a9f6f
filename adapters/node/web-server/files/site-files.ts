import { closeSync } from 'node:fs'
import { type BytePart, multipartBody } from '#edge-cache/index.ts'
import type { SiteFile, SiteFiles } from '#handlers/sites/site-files.ts'
import { fileStream } from './file-stream.ts'
import { listDirectory } from './list-directory.ts'
import { readPieces } from './read-file-part.ts'
import { judgePlace, openForReading } from './open-judged.ts'
import { rememberJudged } from './remember-judged.ts'

/** The files of all sites on this machine, judged on their descriptors; see `SiteFiles`. */
export const createSiteFiles = (): SiteFiles => ({
  ...rememberJudged(judgePlace),
  list: listDirectory,

  async open(place) {
    const judged = await openForReading(place)
    if (judged.kind !== 'file') return judged.kind
    const { fd, stats } = judged
    let used = false
    /** The descriptor, for its one use: a number closed twice would be another request's file. */
    const take = (): number => {
      if (used) throw new Error('The file was already sent or closed.')
      used = true
      return fd
    }
    const file: SiteFile = {
      sizeBytes: stats.size,
      mtimeMs: stats.mtimeMs,
      inode: stats.ino,
      stream: (range = { start: 0, end: stats.size - 1 }) => fileStream(take(), range),
      parts: (framed, ranges) => {
        const whole = take()
        const read = (part: BytePart) => readPieces(whole, part)
        return multipartBody(framed, ranges, read, () => closeSync(whole))
      },
      close: () => {
        if (!used) closeSync(take())
      },
    }
    return file
  },
})
