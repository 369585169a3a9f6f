import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

beforeEach(() => {
  makeDirectory()
  mkdirSync(join(directory, 'hosts'))
})

/** Problems of a main file with one rule, and of an included one. */
const problemsOf = async (rules: string, included = '') => {
  const file = join(directory, 'berth.toml')
  writeFileSync(
    file,
    `include = "hosts/*.toml"

[[virtualhost]]
domain = "a.test"
root = "${directory}"
rewrites = [
  { pattern = "^/fine$", target = "/other", flags = "L" },
${rules}
]
`,
  )
  if (included !== '') writeFileSync(join(directory, 'hosts', 'b.toml'), included)
  const loaded = await loadConfig(file)
  return loaded.ok ? [] : loaded.problems
}

it.each([
  ['pattern', `{ pattern = "^/(a$", target = "/b" },`],
  ['pattern', `{ pattern = "!^/[z-a]", target = "-" },`],
  ['flags', `{ pattern = "^/a$", target = "/b", flags = "R=301,WRONG" },`],
  ['flags', `{ pattern = "^/a$", target = "/b", flags = "R=99" },`],
  ['target', `{ pattern = "^/a$", target = "https://%{HTTP_HOST/b" },`],
  ['target', `{ pattern = "^/a$", target = "/${'b'.repeat(2048)}" },`],
  ['pattern', `{ pattern = "^/${'a'.repeat(2048)}", target = "/b" },`],
])('a wrong %s is found with its line: %#', async (key, rule) => {
  const problems = await problemsOf(`  { pattern = "^/b$", target = "-" },\n  ${rule}`)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatchObject({
    file: join(directory, 'berth.toml'),
    line: 9,
    key: `virtualhost[0].rewrites[2].${key}`,
  })
})

it('all of a rule are found at once, in included files too', async () => {
  const included = `[[virtualhost]]
domain = "b.test"
root = "${directory}"

[[virtualhost.rewrites]]
pattern = "^(/a"
target = "%{X"
flags = "Y"
`
  const problems = await problemsOf('', included)
  expect(problems.map(({ file, line }) => [file, line])).toEqual(
    [6, 7, 8].map((line) => [join(directory, 'hosts', 'b.toml'), line]),
  )
})

it('rules of every kind pass', async () => {
  const rules = String.raw`  { pattern = "!^/a(\\.b|c)?$", target = "https://%{HTTP_HOST}/$1?x=%{QUERY_STRING}", flags = "R=301,L,QSA,NE" },
  { pattern = "(?i)^/(?:x)++$", target = "/\\%{x", flags = "[F]" },
  { pattern = "^/g", target = "-", flags = "G,E=a:b" },`
  expect(await problemsOf(rules)).toEqual([])
})
