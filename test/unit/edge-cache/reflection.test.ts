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

  it('is found where it is shown as a whole, and by its beginning', async () => {
    const word = `begins${'x'.repeat(300)}ends`
    const chosen = agent(word)
    expect(await bodyShows(body(`<p>${word}</p>`), chosen)).toBe(true)
    expect(await bodyShows(body(`<p>${word.slice(0, 64)}</p>`), chosen)).toBe(true)
    expect(await bodyShows(body(btoa(word)), chosen)).toBe(true)
    expect(await fieldsShow([['x-agent', word.toUpperCase()]], chosen)).toBe(true)
    expect(await bodyShows(body(`<p>${word.slice(0, 63)}</p>`), chosen)).toBe(false)
    expect(await bodyShows(body('<p>for all</p>'), chosen)).toBe(false)
    expect(await fieldsShow([['x-agent', 'for all']], chosen)).toBe(false)
  })

  it('counts as shown where the search would take too long', async () => {
    const words = Array.from({ length: 150 }, (_, at) => `word${at}x`)
    const chosen = agent(words.join(' '))
    expect(chosen.isUndecidable).toBe(false)
    expect(await bodyShows(body('-'.repeat(50_000)), chosen)).toBe(false)
    expect(await bodyShows(body('-'.repeat(60_000)), chosen)).toBe(true)
    expect(await fieldsShow([['x-a', '-'.repeat(60_000)]], chosen)).toBe(true)
  })

  it('cannot be decided of more than 200 texts of any kind', () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-own-${at}`, `value${at}xy`]))
    // A word, and the same in Base64.
    expect(chosenBy(fields(100)).isUndecidable).toBe(false)
    expect(chosenBy(fields(101)).isUndecidable).toBe(true)
  })

  it('is found across the pieces of a long body, wherever it stands', async () => {
    const word = `begins${'x'.repeat(300)}ends`.slice(0, 64)
    const chosen = agent(word)
    for (const at of [65_472, 65_473, 65_500, 65_535, 65_536, 131_000, 131_071]) {
      expect(await bodyShows(body(`${'-'.repeat(at)}${word}`), chosen), String(at)).toBe(true)
    }
  })

  it('is looked for in slices of 1 MiB, between which others have their turn', async () => {
    const rounds = async (texts: number, bytes: number): Promise<number> => {
      let count = 0
      const names = Array.from({ length: texts }, (_, at) => `word${at}x`)
      const chosen = { isUndecidable: false, texts: names, exact: [] }
      const pause = () => Promise.resolve(void count++)
      expect(await bodyShows(new Uint8Array(bytes), chosen, pause)).toBe(false)
      return count
    }
    expect(await rounds(10, 60_000)).toBe(0)
    for (const texts of [1, 8, 128]) {
      const found = await rounds(texts, (8 * 2 ** 20) / texts)
      expect(found).toBeGreaterThanOrEqual(7)
      expect(found).toBeLessThanOrEqual(8)
    }
    let count = 0
    const chosen = { isUndecidable: false, texts: [], exact: Array<string>(128).fill('wordx') }
    const pause = () => Promise.resolve(void count++)
    expect(await fieldsShow([['x-a', '-'.repeat(60_000)]], chosen, pause)).toBe(false)
    expect(count).toBeGreaterThanOrEqual(6)
  })
})
