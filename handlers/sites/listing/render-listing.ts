import { inSlices, type SlicedWork } from '../../../edge-cache/index.ts'
import type { Listed, ListedEntry } from '../site-files.ts'
import { toHex } from '../../domain/text/hex.ts'

/** A page and what it is compared by. */
export interface ListingPage {
  body: Uint8Array<ArrayBuffer>
  /** Weak, with `W/` and quotes. */
  etag: string
}

/** Characters of rows: names may be long, and each of their characters several here. */
const MAX_PAGE = 4 * 1024 * 1024
const ROWS_AT_ONCE = 500

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/** Text for between tags. */
const shown = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one)

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']
const sizeOf = (sizeBytes: number): string => {
  let [value, unit] = [sizeBytes, 0]
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

/** Some file systems keep any time that somebody gives a file, beyond what a date can be. */
const FIRST_MS = Date.parse('0001-01-01T00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59Z')

const rowOf = ({ name, isDirectory, sizeBytes, mtimeMs }: ListedEntry): string => {
  const slash = isDirectory ? '/' : ''
  const seenMs = Math.min(Math.max(mtimeMs, FIRST_MS), LAST_MS)
  const [date = '', time = ''] = new Date(seenMs).toISOString().split('T')
  const modified = `${date} ${time.slice(0, 5)}`
  const size = isDirectory ? '' : sizeOf(sizeBytes)
  // `./`: no name is a scheme or a host.
  const link = `<a href="./${encodeURIComponent(name)}${slash}"><bdi>${shown(name)}</bdi>${slash}</a>`
  return `<tr><td>${link}</td><td>${modified}</td><td>${size}</td></tr>\n`
}

const byName = (one: ListedEntry, other: ListedEntry): number => {
  if (one.isDirectory !== other.isDirectory) return one.isDirectory ? -1 : 1
  return one.name < other.name ? -1 : 1
}

function* rows({ entries }: Listed): SlicedWork<{ text: string; count: number }> {
  let text = ''
  let count = 0
  for (const entry of entries.sort(byName)) {
    const row = rowOf(entry)
    if (text.length + row.length > MAX_PAGE) break
    text += row
    count++
    yield 1
  }
  return { text, count }
}

const STYLE = `:root{color-scheme:light dark}
body{margin:0 auto;max-width:60rem;padding:1.5rem 1rem;font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.25rem;margin:0 0 1rem;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse}
th,td{text-align:start;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #8883;vertical-align:top}
th{font-weight:600}
td:first-child{overflow-wrap:anywhere}
th:not(:first-child),td:not(:first-child){white-space:nowrap;font-variant-numeric:tabular-nums}
th:last-child,td:last-child{text-align:end;padding-inline-end:0}
a{color:LinkText;text-decoration:none}
a:hover{text-decoration:underline}
@media(max-width:30rem){th:nth-child(2),td:nth-child(2){display:none}}`

const pageOf = (directory: string, body: string, note: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Index of ${shown(directory)}</title>
<style>
${STYLE}
</style>
</head>
<body>
<h1>Index of <bdi>${shown(directory)}</bdi></h1>
<table>
<thead><tr><th scope="col">Name</th><th scope="col">Modified (UTC)</th><th scope="col">Size</th></tr></thead>
<tbody>
${body}</tbody>
</table>
${note}</body>
</html>
`

/** The page of a directory: directories first, each by name. Sorts `listed.entries`. */
export const renderListing = async (directory: string, listed: Listed): Promise<ListingPage> => {
  const { text, count } = await inSlices(rows(listed), ROWS_AT_ONCE)
  const parent =
    directory === '/' ? '' : '<tr><td><a href="../">Parent folder</a></td><td></td><td></td></tr>\n'
  const isWhole = !listed.more && count === listed.entries.length
  const note = isWhole ? '' : `<p>There is more here than the ${count} names that are shown.</p>\n`
  const body = new TextEncoder().encode(pageOf(directory, `${parent}${text}`, note))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  return { body, etag: `W/"${toHex(digest.subarray(0, 12))}"` }
}
