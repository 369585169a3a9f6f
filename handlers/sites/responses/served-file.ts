import type { FilePlace } from '../site-files.ts'

/** The file of a site that a body is, whole. */
export interface ServedFile {
  place: FilePlace
  mtimeMs: number
}

const served = new WeakMap<ReadableStream, ServedFile>()

/** Tells that a response's body is the whole of a site's file, and nothing else. */
export const noteServedFile = ({ body }: Response, file: ServedFile): void => {
  if (body !== null) served.set(body, file)
}

/** The file that a response is, where nothing stands between the two; null: it is none. */
export const servedFileOf = ({ body }: Response): ServedFile | null =>
  body === null ? null : (served.get(body) ?? null)
