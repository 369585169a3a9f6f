import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'svelte/compiler'
import { describe, expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../../src')
/** Attributes and properties whose values are read or heard by people. */
const SPOKEN = new Set([
  ...['title', 'alt', 'placeholder', 'label', 'lead', 'help', 'text', 'what', 'why', 'error'],
  ...['aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext'],
])
/** No words of a language: names, units. A time zone is one: `moment` names that in which times are shown. */
const NO_WORDS = /^(?:PHP|GB|MB|s|ms)$/

const hasWords = (text: string): boolean =>
  !text.startsWith('-----BEGIN ') &&
  text.split(/[^\p{L}]+/u).some((word) => word !== '' && !NO_WORDS.test(word))

/** A constant of a module that is made of texts, not a function that reads them. */
const EARLY = /^(?:export )?const \w+[^\n]*= (?:texts\.|[[{]\n(?: .*\n)*?.*\btexts\.)/m

interface TemplateNode {
  type?: unknown
  name?: unknown
  data?: unknown
  value?: unknown
  expression?: unknown
}
const isNode = (value: unknown): value is TemplateNode =>
  typeof value === 'object' && value !== null

/** Words that stand in a template itself: between tags, in spoken attributes, in literals shown. */
const wordsIn = (node: unknown, spoken: boolean): string[] => {
  if (Array.isArray(node)) return node.flatMap((one) => wordsIn(one, spoken))
  if (!isNode(node)) return []
  if (node.type === 'Text')
    return spoken && hasWords(String(node.data)) ? [String(node.data).trim()] : []
  // An example of an identifier is the same in all languages.
  if (node.name === 'placeholder' && node.type === 'Attribute')
    return wordsIn(node.value, true).filter((text) => text.includes(' '))
  if (node.type === 'Attribute') return wordsIn(node.value, SPOKEN.has(String(node.name)))
  if (node.type === 'ExpressionTag') return spoken ? literalsIn(node.expression) : []
  return Object.entries(node).flatMap(([key, inner]) =>
    key === 'metadata' ? [] : wordsIn(inner, spoken),
  )
}
/** Literals that a shown expression may give: `a ? 'Yes' : 'No'`, template strings. */
const literalsIn = (node: unknown): string[] => {
  if (!isNode(node)) return []
  const parts = node as Record<string, unknown>
  if (node.type === 'Literal')
    return typeof node.value === 'string' && hasWords(node.value) ? [node.value] : []
  if (node.type === 'ConditionalExpression')
    return [...literalsIn(parts['consequent']), ...literalsIn(parts['alternate'])]
  if (node.type === 'LogicalExpression') return literalsIn(parts['right'])
  if (node.type === 'TemplateLiteral')
    return (parts['quasis'] as { value: { raw: string } }[])
      .map(({ value }) => value.raw)
      .filter(hasWords)
  return []
}
const hardCoded = (source: string): string[] =>
  wordsIn(parse(source, { modern: true }).fragment, true)

describe('words of the screens', () => {
  const files = globSync('**/*.svelte', { cwd: SRC })

  it('all stand in the texts, never in a component', () => {
    expect(files.length).toBeGreaterThan(100)
    const found = files.flatMap((file) =>
      hardCoded(readFileSync(resolve(SRC, file), 'utf8')).map((words) => `${file}: ${words}`),
    )
    expect(found).toEqual([])
  })

  it('would be found', () => {
    expect(hardCoded('<p class="x">Hello</p>')).toEqual(['Hello'])
    expect(hardCoded('<a title="Go" href="/there">{there}</a>')).toEqual(['Go'])
    expect(hardCoded("{#if x}<b>{x ? 'Yes' : y}</b>{/if}")).toEqual(['Yes'])
    expect(hardCoded('<Field label={`Old ${x}`} />')).toEqual(['Old '])
    expect(hardCoded('<b class="p">{t.x} · 5 ms</b>')).toEqual([])
  })

  it('are read when a component is made, never when its module is loaded', () => {
    const early = globSync('**/*.ts', { cwd: SRC })
      .filter((file) => !file.startsWith('lib/texts/') && !file.endsWith('.server.ts'))
      .filter((file) => EARLY.test(readFileSync(resolve(SRC, file), 'utf8')))
    expect(early).toEqual([])
  })
})
