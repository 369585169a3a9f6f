import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const DIRECTORY = resolve(import.meta.dirname, '../../../../docs/examples')

/** The blocks of code of a page about moving in. */
export interface Page {
  server: 'apache' | 'nginx'
  /** What the other server had. */
  config: string
  /** What the page says is typed. */
  command: string
  /** What the page says the sites become. */
  toml: string
  /** What the page says of the report, a line for each directive. */
  report: string
}

/** File of a page, `docs/examples/<name>.md`. */
export const pageFile = (name: string): string => join(DIRECTORY, `${name}.md`)

const blockOf = (text: string, kind: string): string | null =>
  new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)?.[1] ?? null

/** Reads a page. Throws where a block is missing. */
export const readPage = (name: string): Page => {
  const text = readFileSync(pageFile(name), 'utf8')
  const block = (kind: string): string => {
    const found = blockOf(text, kind)
    if (found === null) throw new Error(`${name}.md has no block of ${kind}.`)
    return found
  }
  const server = blockOf(text, 'apache') === null ? 'nginx' : 'apache'
  return {
    server,
    config: block(server),
    command: block('sh'),
    toml: block('toml'),
    report: block('text'),
  }
}
