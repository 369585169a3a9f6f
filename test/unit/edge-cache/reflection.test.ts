import { describe, expect, it } from 'vitest'
import { bodyShows, chosenTexts, fieldsShow } from '#edge-cache/fills/reflection.ts'

const SITE = { host: 'a.test' }
const chosenBy = (fields: Record<string, string>) => chosenTexts(new Headers(fields), SITE)
const body = (text: string): Uint8Array => new TextEncoder().encode(text)
const agent = (text: string) => chosenBy({ 'user-agent': text })

describe('what a visitor chose', () => {
  it('is looked for by its first 64 characters, in every spelling', () => {
    const long = `${'v'.repeat(70)}${'w'.repeat(12_000)}`
    for (const chosen of [
      agent(long),
      agent(`;${'<'.repeat(9000)}`),
      chosenBy({ cookie: `_ga_${long}=1` }),
      chosenBy({ referer: `http://other.test/${long}` }),
      chosenTexts(new Headers(), { ...SITE, clientAddress: long }),
    ]) {
      const lengths = [...chosen.texts, ...chosen.exact].map((text) => text.length)
      expect(lengths.length).toBeGreaterThan(0)
      expect(Math.max(...lengths)).toBe(64)
    }
  })

  it('is found where it is shown as a whole, and by its beginning', () => {
    const word = `begins${'x'.repeat(300)}ends`
    const chosen = agent(word)
    expect(bodyShows(body(`<p>${word}</p>`), chosen)).toBe(true)
    expect(bodyShows(body(`<p>${word.slice(0, 64)}</p>`), chosen)).toBe(true)
    expect(bodyShows(body(btoa(word)), chosen)).toBe(true)
    expect(fieldsShow([['x-agent', word.toUpperCase()]], chosen)).toBe(true)
    expect(bodyShows(body(`<p>${word.slice(0, 63)}</p>`), chosen)).toBe(false)
    expect(bodyShows(body('<p>for all</p>'), chosen)).toBe(false)
    expect(fieldsShow([['x-agent', 'for all']], chosen)).toBe(false)
  })

  it('counts as shown where the search would take too long', () => {
    const words = Array.from({ length: 150 }, (_, at) => `word${at}x`)
    const chosen = agent(words.join(' '))
    expect(chosen.isUndecidable).toBe(false)
    expect(bodyShows(body('-'.repeat(50_000)), chosen)).toBe(false)
    expect(bodyShows(body('-'.repeat(60_000)), chosen)).toBe(true)
    expect(fieldsShow([['x-a', '-'.repeat(60_000)]], chosen)).toBe(true)
  })

  it('cannot be decided of more than 200 texts of any kind', () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-own-${at}`, `value${at}xy`]))
    // A word, and the same in Base64.
    expect(chosenBy(fields(100)).isUndecidable).toBe(false)
    expect(chosenBy(fields(101)).isUndecidable).toBe(true)
  })
})
