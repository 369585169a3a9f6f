import type { FileRequest } from './file-fast-path.ts'

/** What a request asks for, taken apart once for all fast paths. */
export interface FastTarget {
  request: FileRequest
  path: string
  /** The request, with its line from `lineStart` on. */
  bytes: Buffer
  lineStart: number
}
