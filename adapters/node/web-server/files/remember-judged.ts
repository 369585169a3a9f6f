import type { FileKind, FilePlace } from '#handlers/sites/site-files.ts'

/** How long a judgement is believed: what changes a file is seen after a second. */
const BELIEVED_MS = 1000
const MAX_PLACES = 5000

/**
 * Remembers for a second which places are files: of a script nothing more is needed,
 * since another process opens it, as the account and whatever it is by then. What
 * else a place is, is judged each time. `judge` as of `SiteFiles`.
 */
export const rememberJudged = (
  judge: (place: FilePlace) => Promise<FileKind>,
  nowMs = () => performance.now(),
): ((place: FilePlace) => Promise<FileKind>) => {
  const believedUntilMs = new Map<string, number>()
  const isFile = Promise.resolve<FileKind>('file')

  const judgeAnew = async (key: string, place: FilePlace): Promise<FileKind> => {
    const startedMs = nowMs()
    const kind = await judge(place)
    if (kind === 'file') {
      if (believedUntilMs.size >= MAX_PLACES) believedUntilMs.clear()
      believedUntilMs.set(key, startedMs + BELIEVED_MS)
    } else believedUntilMs.delete(key)
    return kind
  }

  return (place) => {
    // No path has a NUL in it.
    const key = `${place.uid ?? ''}\0${place.home}\0${place.root}${place.path}`
    const untilMs = believedUntilMs.get(key)
    return untilMs !== undefined && nowMs() < untilMs ? isFile : judgeAnew(key, place)
  }
}
