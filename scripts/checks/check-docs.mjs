import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** The map is read from end to end. */
const MOST_LINES_OF_MAP = 150
/** What stands in backticks and begins so is a path of the project. */
const PATH =
  /`((?:adapters|bench|cli|docs|edge-cache|handlers|scripts|src|test)\/[\w@()[\].+/-]+)`/g
const LINK = /\]\(([^()\s]+)\)/g
const HEADING = /^#{1,6} (.+)$/gm

/** The anchor that a heading gets. @param {string} heading */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Without blocks of code, which hold what looks like links. @param {string} text */
const withoutCode = (text) =>
  text
    .split(/^```.*$/m)
    .filter((_, at) => at % 2 === 0)
    .join('')

/** @param {string} root @returns {string[]} */
const documents = (root) => [
  ...['README.md', 'ARCHITECTURE.md', 'edge-cache/README.md'].filter((file) =>
    existsSync(join(root, file)),
  ),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]

/**
 * What is wrong with links and paths in the documents, one sentence each.
 *
 * @param {string} root
 * @returns {string[]}
 */
export const checkDocs = (root) => {
  /** @type {string[]} */
  const said = []
  /** @param {string} file */
  const read = (file) => readFileSync(join(root, file), 'utf8')
  for (const file of documents(root)) {
    const text = withoutCode(read(file))
    for (const [, path = ''] of text.matchAll(PATH))
      if (!existsSync(join(root, path))) said.push(`${file} names ${path}, which is not there.`)
    for (const [, link = ''] of text.matchAll(LINK)) {
      if (/^[a-z]+:/.test(link)) continue
      const [path = '', anchor] = link.split('#', 2)
      const target = path === '' ? file : normalize(join(dirname(file), path))
      if (!existsSync(join(root, target))) {
        said.push(`${file} links to ${link}, which is not there.`)
        continue
      }
      if (anchor === undefined || !target.endsWith('.md')) continue
      const anchors = [...withoutCode(read(target)).matchAll(HEADING)].map(([, heading = '']) =>
        anchorOf(heading),
      )
      if (!anchors.includes(anchor))
        said.push(`${file} links to ${link}, which has no such heading.`)
    }
  }
  const lines = read('ARCHITECTURE.md').trimEnd().split('\n').length
  if (lines > MOST_LINES_OF_MAP)
    said.push(`ARCHITECTURE.md has ${lines} lines, where ${MOST_LINES_OF_MAP} must do.`)
  return said
}

if (import.meta.filename === process.argv[1]) {
  const said = checkDocs(join(import.meta.dirname, '../..'))
  for (const line of said) console.error(line)
  process.exitCode = said.length === 0 ? 0 : 1
}
