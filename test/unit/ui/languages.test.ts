import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { bytes, memory, usedOf } from '../../../src/lib/format/size.ts'
import { duration } from '../../../src/lib/format/duration.ts'
import { relativeTime } from '../../../src/lib/format/timestamp.ts'
import { withTexts } from '../../../src/lib/server/request-texts.ts'
import { texts } from '../../../src/lib/texts/index.ts'
import { chooseLanguage } from '../../../src/lib/texts/languages.ts'

describe('the language of a request', () => {
  it.each([
    [undefined, null, 'en'],
    [undefined, '', 'en'],
    [undefined, 'de', 'de'],
    [undefined, 'de-AT,de;q=0.9,en;q=0.8', 'de'],
    [undefined, 'DE-de', 'de'],
    [undefined, 'en-GB,en;q=0.9,de;q=0.8', 'en'],
    [undefined, 'en;q=0.5, de;q=0.9', 'de'],
    [undefined, 'fr-FR, de;q=0.3', 'de'],
    [undefined, 'de;q=0, fr', 'en'],
    [undefined, 'de;q=nonsense', 'en'],
    [undefined, 'fr, *', 'en'],
    ['de', 'en', 'de'],
    ['en', 'de', 'en'],
    ['tlh', 'de', 'de'],
    ['__proto__', null, 'en'],
  ])('cookie %s, Accept-Language %s: %s', (cookie, header, language) => {
    expect(chooseLanguage(cookie, header)).toBe(language)
  })

  it('belongs to the request alone, however many are answered at a time', async () => {
    const answer = async (rounds: number): Promise<string[]> => {
      const read: string[] = []
      for (let round = 0; round < rounds; round += 1) {
        read.push(texts.login.submit)
        await pause(1)
      }
      return read
    }
    const [german, english, unknown] = await Promise.all([
      withTexts('de', () => answer(9)),
      withTexts('en', () => answer(9)),
      answer(9),
    ])
    expect(new Set(german)).toEqual(new Set(['Anmelden']))
    expect(new Set(english)).toEqual(new Set(['Log in']))
    expect(new Set(unknown)).toEqual(new Set(['Log in']))
  })

  it('forms numbers, sizes and times', () => {
    const now = Date.parse('2026-03-01T12:00:00Z')
    const shown = () => [
      bytes(3_300_000),
      memory(2048),
      usedOf(3174, 8192, 'memory').used,
      usedOf(4950, 8000, 'disk').used,
      duration(90_061),
      relativeTime('2026-03-01 11:56:00', now),
    ]
    expect(withTexts('en', shown)).toEqual([
      '3.3 MB',
      '2 GB',
      '3.1',
      '5.0',
      '1 d 1 h',
      '4 minutes ago',
    ])
    expect(withTexts('de', shown)).toEqual([
      '3,3 MB',
      '2 GB',
      '3,1',
      '5,0',
      '1 T 1 Std.',
      'vor 4 Minuten',
    ])
  })
})
