const MAX_PATHS = 20
const MAX_PATH_CHARS = 500
const MAX_LINE_CHARS = 20_000
/** What `tar` says of each file or directory that it may not read; of one that is gone meanwhile there is nothing to say. */
const UNREADABLE = /^\S+: \.\/(.*): Warning: Cannot \w+: (?!No such file)/

/** Keeps count of what of a home is not in its backup, and the first twenty paths, which are the tenant's words. */
export const createSkipped = () => {
  const paths: string[] = []
  let count = 0
  let line = ''
  const add = (path: string): void => {
    count += 1
    if (paths.length < MAX_PATHS) paths.push(path.slice(0, MAX_PATH_CHARS))
  }
  return {
    add,
    /** Takes what `tar` complains of, in pieces as they come. */
    hear(text: string): void {
      const lines = (line + text).split('\n')
      line = (lines.pop() ?? '').slice(0, MAX_LINE_CHARS)
      for (const one of lines) {
        const path = UNREADABLE.exec(one)?.[1]
        if (path !== undefined) add(path)
      }
    },
    result: (): { skipped: number; skippedPaths: string[] } => ({
      skipped: count,
      skippedPaths: paths,
    }),
  }
}
