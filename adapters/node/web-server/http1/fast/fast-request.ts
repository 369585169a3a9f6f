import type { KnownTarget } from '../head/known-targets.ts'
import type { FileRequest } from './file-fast-path.ts'

/** What a request asks for, taken apart once for all fast paths. */
export interface FastTarget {
  request: FileRequest
  path: string
  /** With its query. */
  target: string
  /** The same, where it is asked for again and again. */
  known: KnownTarget | null
  /** The request, with its line from `lineStart` on. */
  bytes: Buffer
  lineStart: number
}
