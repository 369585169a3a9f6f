import type { Log } from '#handlers/ports/log.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'

/** Makes the pages of sites new whose files were changed over SFTP. */
export interface ChangedSites {
  /** Null: anywhere in the account's home. */
  note(username: string, paths: readonly string[] | null): void
  /** Does at once what waits. */
  flush(username: string): void
}

interface Deps {
  sitesOf(username: string): Pick<VirtualHostSpec, 'domain' | 'root'>[]
  purge(domain: string): Promise<unknown>
  log: Log
}

/** An upload of many files changes pages once in this time. */
const EVERY_MS = 1000
/** More are as good as all. */
const MOST_PATHS = 200

/** Whether one of two paths is the other or lies in it. */
const meet = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)

export const createChangedSites = ({ sitesOf, purge, log }: Deps): ChangedSites => {
  const waiting = new Map<string, { paths: Set<string> | null; timer: NodeJS.Timeout }>()
  const flush = (username: string): void => {
    const found = waiting.get(username)
    if (found === undefined) return
    waiting.delete(username)
    clearTimeout(found.timer)
    const paths = found.paths === null ? null : [...found.paths]
    for (const { domain, root } of sitesOf(username))
      if (paths === null || paths.some((path) => meet(root, path)))
        purge(domain).catch((error: unknown) =>
          log.warn('pages from before a change over SFTP were not purged', {
            domain,
            error: String(error),
          }),
        )
  }
  return {
    flush,
    note(username, paths) {
      let found = waiting.get(username)
      if (found === undefined) {
        const timer = setTimeout(() => flush(username), EVERY_MS)
        timer.unref()
        found = { paths: new Set(), timer }
        waiting.set(username, found)
      }
      if (paths === null) found.paths = null
      for (const path of paths ?? []) found.paths?.add(path)
      if (found.paths !== null && found.paths.size > MOST_PATHS) found.paths = null
    },
  }
}
