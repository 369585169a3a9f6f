import { AppError } from '#handlers/errors.ts'
import { bytesOf } from '../../../archives/tar-reader.ts'
import type { TarEntry } from '../../../archives/tar-reader.ts'

/** Judges which members of a home are wanted, by their names in latin1. */
export interface ChosenMembers {
  /** Whether it is a chosen path, lies below one, or is a folder above one. */
  takes(entry: Pick<TarEntry, 'name' | 'type'>): boolean
  /** 404 naming the first chosen path that no member was of. */
  assertFound(): void
}

/** `paths` as `RestoreParts` has them. */
export const createChosenMembers = (paths: readonly string[]): ChosenMembers => {
  const missing = new Map(paths.map((path) => [bytesOf(path), path]))
  const chosen = new Set(missing.keys())
  const above = new Set<string>()
  for (const path of chosen)
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
      above.add(path.slice(0, end))
  return {
    takes({ name, type }) {
      let end = name.indexOf('/')
      for (; end !== -1; end = name.indexOf('/', end + 1)) {
        const start = name.slice(0, end)
        if (chosen.has(start)) {
          missing.delete(start)
          return true
        }
        // Nothing further down is wanted.
        if (!above.has(start)) return false
      }
      if (chosen.has(name)) {
        missing.delete(name)
        return true
      }
      return type === 'directory' && above.has(name)
    },
    assertFound() {
      const [first] = missing.values()
      if (first === undefined) return
      const more = missing.size > 1 ? ` (and ${missing.size - 1} more)` : ''
      throw new AppError(
        404,
        `The backup holds nothing at "${first}"${more}. Look up what is in it, then choose again. Nothing was changed.`,
        { field: 'paths' },
      )
    },
  }
}
