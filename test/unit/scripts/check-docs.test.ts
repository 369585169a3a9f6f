import { expect, it } from 'vitest'
import { checkDocs } from '../../../scripts/checks/check-docs.mjs'
import { projectOf } from './project-of.ts'

const PAGE = '# A page\n\n## What it is: `two` words\n'

/** What is said of a project whose `docs/page.md` says this, beside the documents and files given. */
const saidOf = (text: string, files: Record<string, string> = {}): string[] =>
  checkDocs(
    projectOf({
      'README.md': '[The map](ARCHITECTURE.md)',
      'ARCHITECTURE.md': '# The map\n\n[A page](docs/page.md)\n',
      'docs/page.md': `${PAGE}\n${text}\n`,
      'cli/main.ts': '',
      ...files,
    }),
  )

it.each([
  ['a link to a page', '[the map](../ARCHITECTURE.md)'],
  ['a link to a folder', '[the commands](../cli)'],
  ['a link to a heading of another page', '[the map](../ARCHITECTURE.md#the-map)'],
  [
    'a link to a heading of the same page, as it is written in addresses',
    '[it](#what-it-is-two-words)',
  ],
  ['a link to a line of a source file', '[it](../cli/main.ts#L1)'],
  ['links to other sites', '[it](https://example.com/none) [or](mailto:a@example.com)'],
  ['paths of the project', '`cli/main.ts` and `cli/`'],
  ['what is no path of the project', '`main.ts`, `cli` and `/cli/none.ts`'],
  ['what looks like a link in a block of code', '```md\n[none](none.md) and `cli/none.ts`\n```'],
])('says nothing of %s', (_, text) => {
  expect(saidOf(text)).toEqual([])
})

it.each([
  ['a page', '[it](none.md)', 'docs/page.md links to none.md, which is not there.'],
  ['a page beside it', '[it](page/x.md)', 'docs/page.md links to page/x.md, which is not there.'],
  ['a page with an anchor', '[it](x.md#it)', 'docs/page.md links to x.md#it, which is not there.'],
  [
    'a heading of another page',
    '[it](../README.md#it)',
    'docs/page.md links to ../README.md#it, which has no such heading.',
  ],
  [
    'a heading of the same page',
    '[it](#it)',
    'docs/page.md links to #it, which has no such heading.',
  ],
  [
    'a heading that stands in a block of code alone',
    '[it](#it)\n```sh\n# It\n```',
    'docs/page.md links to #it, which has no such heading.',
  ],
  ['a file by its path', '`cli/none.ts`', 'docs/page.md names cli/none.ts, which is not there.'],
])('finds %s that is not there', (_, text, said) => {
  expect(saidOf(text)).toEqual([said])
})

it('finds each of several, after a block of code too', () => {
  expect(saidOf('[a](a.md)\n```\n[b](b.md)\n```\n[c](c.md)')).toEqual([
    'docs/page.md links to a.md, which is not there.',
    'docs/page.md links to c.md, which is not there.',
  ])
})

it.each(['README.md', 'ARCHITECTURE.md', 'edge-cache/README.md', 'docs/deep/er/page.md'])(
  'looks at %s too',
  (file) => {
    expect(saidOf('', { [file]: '[it](none.md)' })).toEqual([
      `${file} links to none.md, which is not there.`,
    ])
  },
)

it('needs neither a README nor one of the cache', () => {
  expect(checkDocs(projectOf({ 'ARCHITECTURE.md': '', 'docs/page.md': PAGE }))).toEqual([])
})

it('finds a map that nobody reads to the end', () => {
  const map = (lines: number) => ({ 'ARCHITECTURE.md': 'A line.\n'.repeat(lines) })
  expect(saidOf('', map(150))).toEqual([])
  expect(saidOf('', map(151))).toEqual(['ARCHITECTURE.md has 151 lines, where 150 must do.'])
})
