/** What a request asks for, taken apart once for all fast paths. */
export interface HotAsked {
  path: string
  query: string | null
  /** The request, with its line from `lineStart` on. */
  bytes: Buffer
  lineStart: number
}
