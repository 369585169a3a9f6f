import { LegacyError } from './legacy-error.ts'
import type { Place, SourceFiles } from './types.ts'

const MAX_DEPTH = 32
const MAX_FILES = 20_000
const MAX_TEXT = 128 * 2 ** 20
const MAX_DIRECTIVES = 2_000_000

/** Limits of reading: files in each other, their number and size. */
export class IncludeStack {
  /** Files read so far. */
  readonly seen: string[] = []
  private readonly open: string[] = []
  private readonly files: SourceFiles
  private readonly onFile: (path: string) => void
  private textLength = 0
  private directives = 0

  constructor(files: SourceFiles, onFile: (path: string) => void = () => undefined) {
    this.files = files
    this.onFile = onFile
  }

  /** Reads a file and hands its text to `use`. Throws `LegacyError` for loops, and where limits are met. */
  enter(path: string, from: Place, use: (text: string) => void): void {
    if (this.open.includes(path))
      throw new LegacyError(from, `"${path}" includes itself. Remove the loop.`)
    if (this.open.length >= MAX_DEPTH)
      throw new LegacyError(
        from,
        `files include each other more than ${MAX_DEPTH} deep. Include the innermost ones further out.`,
      )
    if (this.seen.length >= MAX_FILES)
      throw new LegacyError(from, `more than ${MAX_FILES} files are included. Convert parts of it.`)
    const found = this.files.read(path)
    if ('reason' in found) throw new LegacyError(from, `"${path}" ${found.reason}`)
    this.textLength += found.text.length
    if (this.textLength > MAX_TEXT)
      throw new LegacyError(from, 'the files hold more than 128 MiB. Convert parts of them.')
    this.seen.push(path)
    this.onFile(path)
    this.open.push(path)
    use(found.text)
    this.open.pop()
  }

  /** Counts one directive. Throws `LegacyError` when there are too many. */
  count(at: Place): void {
    if (++this.directives > MAX_DIRECTIVES)
      throw new LegacyError(at, `more than ${MAX_DIRECTIVES} directives. Convert parts of it.`)
  }
}
