import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { buildProgram } from '#cli/program.ts'
import { commandTree, flatten } from '#cli/reference/command-tree.ts'
import { completionFacts, valueOptions } from '#cli/reference/completion-facts.ts'

/** Where commands are run. */
const PLACES = ['cli', 'node/convert', 'node/swap'].map((name) =>
  resolve(import.meta.dirname, '../..', name),
)
const tree = commandTree(buildProgram())
const commands = flatten(tree).filter(({ path }) => path.length > 0)
const runnable = commands.filter(({ children }) => children.length === 0)

const tests = PLACES.flatMap((place) =>
  readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      name: basename(name).replace(/(\.test)?\.ts$/, ''),
      text: readFileSync(join(place, name), 'utf8'),
    })),
)

/** Whether a test runs `berth <path>`: as one text, as words, or in the file of its first word. */
const isTested = (path: readonly string[]): boolean => {
  const words = path.map((word) => `'${word}'`).join(', ')
  const last = `'${path.at(-1)}'`
  return tests.some(
    ({ name, text }) =>
      text.includes(`'${path.join(' ')}'`) ||
      text.includes(words) ||
      (name === path[0] && text.includes(last)) ||
      (name === path.at(-1) && text.includes(words)),
  )
}

test.each(commands.map((command) => [command.path.join(' '), command] as const))(
  'berth %s says what it does',
  (_name, { summary, args, options }) => {
    expect(summary).toMatch(/^[a-zA-Z].*[^.]$/)
    for (const argument of args) expect([argument.name(), argument.description]).not.toContain('')
    for (const option of options) expect([option.flags, option.description]).not.toContain('')
  },
)

test.each(runnable.map((command) => [command.path.join(' '), command] as const))(
  'berth %s has examples that begin with it, and a test',
  (name, { path, examples }) => {
    expect(examples.length).toBeGreaterThan(0)
    expect(
      examples.some((line) => line.includes(`berth `) && line.includes(path.at(-1) ?? '')),
    ).toBe(true)
    expect([name, isTested(path)]).toEqual([name, true])
  },
)

test('every option is given in some test', () => {
  const all = tests.map(({ text }) => text).join('\n')
  const names = new Set(
    runnable.flatMap(({ options }) => options.flatMap(({ long }) => (long ? [long] : []))),
  )
  expect([...names].filter((name) => !all.includes(name))).toEqual([])
})

test('an option takes a value everywhere or nowhere, so that completion can skip it', () => {
  const facts = completionFacts(tree)
  const valued = new Set(valueOptions(facts))
  for (const { key, options } of facts)
    for (const option of options)
      for (const name of option.names)
        expect([key, name, option.takesValue]).toEqual([key, name, valued.has(name)])
})

test('names and aliases of commands are unique among their neighbours', () => {
  for (const { children } of flatten(tree)) {
    const names = children.flatMap(({ path, aliases }) => [path.at(-1), ...aliases])
    expect(names).toEqual([...new Set(names)])
  }
})
