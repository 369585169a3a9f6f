import type { FileKind, FilePlace, SiteFiles } from '#handlers/sites/site-files.ts'

/** How long a judgement is believed: what changes a file is seen after a second. */
const BELIEVED_MS = 1000
const MAX_PLACES = 5000

/**
 * Remembers for a second which places are files: of a script nothing more is needed,
 * since another process opens it, as the account and whatever it is by then. What
 * else a place is, is judged each time. `judge` and the response as of `SiteFiles`.
 */
export const rememberJudged = (
  judge: (place: FilePlace) => Promise<FileKind>,
  nowMs = () => performance.now(),
): Required<Pick<SiteFiles, 'judge' | 'isKnownFile'>> => {
  const believedUntilMs = new Map<string, number>()

  // No path has a NUL in it.
  const keyOf = ({ uid, home, root, path }: FilePlace): string =>
    `${uid ?? ''}\0${home}\0${root}${path}`

  const isBelieved = (key: string): boolean => {
    const untilMs = believedUntilMs.get(key)
    return untilMs !== undefined && nowMs() < untilMs
  }
  const judgeAnew = async (key: string, place: FilePlace): Promise<FileKind> => {
    const startedMs = nowMs()
    const kind = await judge(place)
    if (kind === 'file') {
      if (believedUntilMs.size >= MAX_PLACES) believedUntilMs.clear()
      believedUntilMs.set(key, startedMs + BELIEVED_MS)
    } else believedUntilMs.delete(key)
    return kind
  }
  const isFile = Promise.resolve<FileKind>('file')

  return {
    isKnownFile: (place) => isBelieved(keyOf(place)),
    judge: (place) => {
      const key = keyOf(place)
      return isBelieved(key) ? isFile : judgeAnew(key, place)
    },
  }
}
