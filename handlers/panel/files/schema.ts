import { z } from 'zod'
import { count, named, timestamp } from '../frame/common-schemas.ts'

export const ENCODINGS = ['utf8', 'base64'] as const

/** An entry of a directory. */
export const fileEntrySchema = named('FileEntry', {
  name: z.string(),
  path: z.string().describe('Relative to the home, without leading slash.'),
  type: z.enum(['file', 'directory', 'symlink']),
  size: count().describe('Bytes.'),
  permissions: z.string().describe('Four octal digits, e.g. 0644.'),
  modified_at: timestamp(),
  owner: z.string(),
})

/** A file with what is in it. */
export const fileContentSchema = named('FileContent', {
  path: z.string(),
  content: z.string(),
  encoding: z
    .enum(ENCODINGS)
    .describe(
      'utf8 where the file is valid UTF-8, else base64, as for large files mostly of quotes, line ends or control characters.',
    ),
  size: count().describe('Bytes.'),
  modified_at: timestamp(),
})
