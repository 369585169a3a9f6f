import { describe, expect, it } from 'vitest'
import { clientClass } from '#edge-cache/sampling/client-class.ts'
import { pageDifference } from '#edge-cache/sampling/page-difference.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const difference = (visitor: string, one: string, two = one) =>
  pageDifference(bytes(visitor), bytes(one), bytes(two))

const POSTS = [
  'We moved into a larger workshop by the river and sharpen knives there now',
  'Opening hours change in summer because the children have holidays then',
  'Our apprentice has won a prize for her first table made from walnut',
  'Repairs of old clocks take longer since the watchmaker went to Lisbon',
]
const BODY = POSTS.join('</p><p>')
const page = (body: string, { lang = 'en', title = 'Workshop', head = '' } = {}): string =>
  `<!DOCTYPE html><html lang="${lang}"><head><title>${title}</title>${head}</head><body><p>${body}</p></body></html>`

describe('pages that differ', () => {
  it.each([
    ['in their language', page(BODY, { lang: 'de' }), page(BODY), 'language'],
    [
      'in a language that only one names',
      page(BODY),
      page(BODY).replace(' lang="en"', ''),
      'language',
    ],
    ['in their title', page(BODY, { title: 'Werkstatt' }), page(BODY), 'title'],
    ['in their text', page('Wir sind umgezogen und schleifen jetzt am Fluss'), page(BODY), 'text'],
    [
      'in script without blanks',
      page('我们搬到了河边的新车间'),
      page('川沿いの新しい工房に引っ越しました'),
      'text',
    ],
    [
      'in text behind long scripts and many tags',
      page(`<script>${'word '.repeat(60_000)}</script>${'<b></b>'.repeat(4000)}other words here`),
      page(`<script>${'word '.repeat(60_000)}</script>${'<b></b>'.repeat(4000)}${BODY}`),
      'text',
    ],
    ['by a theme for phones', page(`Menu Top Full site ${POSTS[0]}`), page(BODY), 'text'],
  ])('%s', async (_what, visitor, neutral, expected) => {
    expect(await difference(visitor, neutral)).toBe(expected)
  })
})

describe('pages that do not differ', () => {
  const rotating = (from: number): string =>
    page([0, 1].map((step) => POSTS[(from + step) % POSTS.length]).join('</p><p>'))
  const nonce = (value: string): string =>
    page(`${BODY} <input value="${value}">`, {
      head: `<script nonce="${value}">let wp = "${value.repeat(50)} some words of ${value}"</script>`,
    })
  it.each([
    ['the same', page(BODY), page(BODY), page(BODY)],
    ['dates', page(`3 March 2026 10:15 ${BODY}`), page(`4 April 2026 11:16 ${BODY}`), undefined],
    [
      'counters',
      page(`${BODY} 1034 visitors`, { title: 'Workshop (3)' }),
      page(`${BODY} 1035 visitors`, { title: 'Workshop (4)' }),
      undefined,
    ],
    ['nonces', nonce('ab12cd'), nonce('ffaa00'), nonce('beefed')],
    ['rotating posts', rotating(0), rotating(1), rotating(3)],
    [
      'titles that rotate',
      page(BODY, { title: 'One' }),
      page(BODY, { title: 'Two' }),
      page(BODY, { title: 'Three' }),
    ],
    [
      'styles and comments',
      page(`${BODY}<style>.phone {color: red}</style><!-- made for a phone -->`),
      page(BODY),
      undefined,
    ],
    [
      'what comes after 512 KiB',
      page(`${'word '.repeat(120_000)} ${BODY}`),
      page('word '.repeat(120_000)),
      undefined,
    ],
    [
      'what comes after 64 Ki characters of text',
      page(
        `${'<p>word</p> '.repeat(9000)}${'word '.repeat(10_000)} ${POSTS.join(' ').repeat(500)}`,
      ),
      page(`${'<p>word</p> '.repeat(9000)}${'word '.repeat(10_000)}`),
      undefined,
    ],
    [
      'what comes after 10000 tags',
      page(`${'<b>'.repeat(10_000)}<i>${BODY}`),
      page(`${'<b>'.repeat(10_000)}<i>`),
      undefined,
    ],
    ['nothing', '', '', ''],
  ])('%s', async (_what, visitor, one, two) => {
    expect(await difference(visitor, one, two)).toBeNull()
  })

  it('whatever is broken in them is read all the same', async () => {
    for (const broken of [
      '<',
      '<!--',
      '<script',
      '<title>',
      '<html lang=',
      '< a < b',
      '<style>x',
    ]) {
      expect(await difference(page(BODY) + broken, page(BODY) + broken)).toBeNull()
    }
    expect(await difference('<script>'.repeat(60_000), '<title'.repeat(60_000))).toBeNull()
    expect(await difference('<!--'.repeat(100_000), '<html '.repeat(60_000))).toBeNull()
  })
})

it('pages are compared in slices between which others have their turn', async () => {
  const pausesOf = async (text: string): Promise<number> => {
    let count = 0
    const pause = () => Promise.resolve(void count++)
    await pageDifference(bytes(text), bytes(text), bytes(text), pause)
    return count
  }
  // Each page is decoded, its tags looked at, its words counted, and compared twice.
  expect(await pausesOf('<b>x'.repeat(130_000))).toBeGreaterThan(3 * 10)
  expect(await pausesOf('abc d '.repeat(80_000))).toBeGreaterThan(3 * 3)
})

describe('classes of requests', () => {
  const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148'
  it.each([
    ['desktop -', undefined, undefined],
    ['desktop de', 'de-AT,de;q=0.9,en;q=0.8', 'Mozilla/5.0 (X11; Linux x86_64)'],
    ['mobile fr', 'fr', PHONE],
    ['desktop gsw', 'gsw-CH', undefined],
    ['desktop ?', '*', undefined],
    ['desktop ?', 'x'.repeat(5000), undefined],
  ])('%s', (expected, language, agent) => {
    const headers = new Headers()
    if (language !== undefined) headers.set('accept-language', language)
    if (agent !== undefined) headers.set('user-agent', agent)
    expect(clientClass(headers)).toBe(expected)
  })
})
