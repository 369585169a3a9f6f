import { z } from 'zod'
import { change, done, line, long, many, read, short, SLOW_SECS } from './answer-shapes.ts'

const fileEntryAnswer = z.object({
  name: short,
  path: line,
  type: z.enum(['file', 'directory', 'symlink']),
  size: z.number(),
  permissions: short,
  modified_at: short,
  owner: short,
})

const fileContentAnswer = z.object({
  path: line,
  content: long,
  encoding: z.enum(['utf8', 'base64']),
  size: z.number(),
  modified_at: short,
})

const filePartAnswer = z.object({
  content: long,
  size: z.number(),
  modified_at: short,
  identity: line,
})

/** Answers about files of accounts, by port and method. */
export const FILES_ANSWERS = {
  files: {
    list: read(many(fileEntryAnswer), { limitSecs: SLOW_SECS }),
    read: read(fileContentAnswer, { limitSecs: SLOW_SECS }),
    write: change(fileEntryAnswer),
    mkdir: change(fileEntryAnswer),
    chmod: change(fileEntryAnswer),
    delete: change(done),
    beginUpload: change(z.object({ token: short })),
    appendUpload: change(done),
    endUpload: change(fileEntryAnswer),
    abortUpload: change(done),
    readPart: read(filePartAnswer, { limitSecs: SLOW_SECS }),
    move: change(fileEntryAnswer),
    copy: change(fileEntryAnswer),
    archive: change(z.object({ entry: fileEntryAnswer, entries: z.number(), skipped: z.number() })),
    extract: change(z.object({ entries: z.number() })),
  },
}
