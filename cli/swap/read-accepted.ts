import type { Difference } from '#adapters/node/swap/compare-after.ts'
import { printable } from '../terminal/printable.ts'
import { CliError } from '../cli-error.ts'

/** Lines of a file of differences. */
const MOST_LINES = 10_000

/**
 * Reads which differences are known and wanted: one a line, as a swap that went back shows them
 * (`http://shop.example/x: 200 became 404`), or an address alone, whatever is different there; `*` at its
 * end stands for all that begin so. `#` begins a remark. Throws `CliError` for a line that is none of it.
 */
export const readAccepted = (text: string): ((difference: Difference) => boolean) => {
  const lines = text.split('\n').map((line) => line.trim())
  if (lines.length > MOST_LINES)
    throw new CliError(
      `--accept takes at most ${MOST_LINES} lines. Use addresses with * at their end.`,
      2,
    )
  const exact = new Set<string>()
  const beginnings: string[] = []
  for (const [at, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue
    if (!/^https?:\/\/\S/.test(line))
      throw new CliError(
        `Line ${at + 1} of --accept is no address: ${printable(line.slice(0, 80))}. Write lines as a swap that went back shows them.`,
        2,
      )
    if (line.endsWith('*')) beginnings.push(line.slice(0, -1))
    else exact.add(line)
  }
  return ({ url, what }) =>
    exact.has(url) ||
    exact.has(printable(`${url}: ${what}`)) ||
    beginnings.some((beginning) => url.startsWith(beginning))
}
