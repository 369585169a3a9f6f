import { describe, expect, it } from 'vitest'
import { botName, isBotName } from '#handlers/domain/figures/bot-name.ts'
import { dayNumber, dayOfText, dayText } from '#handlers/domain/figures/figures-day.ts'
import { isAsset, pageName } from '#handlers/domain/figures/page-name.ts'
import { referrerHost } from '#handlers/domain/figures/referrer-host.ts'
import { statusName } from '#handlers/domain/figures/site-day.ts'

describe('the name of a page', () => {
  it.each([
    ['/', '/'],
    ['/shop/cart?user=ann&token=secret', '/shop/cart'],
    ['/a;jsessionid=0123456789ABCDEF0123', '/a'],
    ['/a#b', '/a'],
    ['/reset/4f9a0c2b7d1e8f6a5b3c9d0e', '/reset/*'],
    ['/reset/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.x.y/now', '/reset/*/now'],
    ['/u/123e4567-e89b-12d3-a456-426614174000', '/u/*'],
    ['/unsubscribe/ann@example.com', '/unsubscribe/*'],
    ['/unsubscribe/ann%40example.com', '/unsubscribe/*'],
    ['/call/491701234567', '/call/*'],
    [
      '/2026/11/24/how-we-made-the-best-bread-of-2026',
      '/2026/11/24/how-we-made-the-best-bread-of-2026',
    ],
    ['/wp-content', '/wp-content'],
    ['/caf\u00e9 "x"\r\n', '/caf%E9%20%22x%22%0D%0A'.replaceAll('%22', '"')],
    [`/${'a'.repeat(300)}`, `/${'a'.repeat(156)}...`],
  ])('of %s is %s', (target, name) => {
    expect(pageName(target)).toBe(name)
  })

  it('is none for a target that is no path, and never long', () => {
    expect(pageName('*')).toBeNull()
    expect(pageName('http://a.example/')).toBeNull()
    expect(pageName(`/${'\u00ff/'.repeat(50_000)}`)?.length).toBe(160)
  })

  it('is not asked for of what belongs to pages', () => {
    for (const path of ['/a.css', '/a.JS?v=1', '/x/b.woff2', '/i.png'])
      expect(isAsset(path)).toBe(true)
    for (const path of ['/', '/a', '/a.html', '/a.php', '/v1.2/x', '/a?b.css', '/feed.xml'])
      expect(isAsset(path), path).toBe(false)
  })
})

describe('the site that visitors come from', () => {
  it.each([
    ['https://www.Search.example/q?secret=1', 'search.example'],
    ['http://news.example:8080', 'news.example'],
    ['https://ann:pw@x.example/', null],
    ['android-app://com.app/', null],
    ['javascript:alert(1)', null],
    ['https://=cmd|calc.example/', null],
    ['https://a b.example/', null],
    [`https://${'a'.repeat(200)}.example/`, null],
    [null, null],
  ])('of %s is %s', (referer, host) => {
    expect(referrerHost(referer)).toBe(host)
  })
})

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Linux; Android 14; CUBOT KINGKONG AX) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 YaBrowser/24.12.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/400.0]',
  'Opera/9.80 (J2ME/MIDP; Opera Mini/9.80/170.54; U; en) Presto/2.12.423 Version/12.16',
]
const BOTS: [string | null, string][] = [
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot'],
  ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'Bingbot'],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'GPTBot',
  ],
  [
    'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
    'Yahoo Slurp',
  ],
  ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'Facebook'],
  ['WhatsApp/2.23.20.0 A', 'WhatsApp'],
  ['Mozilla/5.0 (compatible; Nimbostratus-Bot/v1.3.2)', 'other'],
  ['My Crawler', 'other'],
  ['curl/8.5.0', 'programs'],
  ['python-requests/2.32', 'programs'],
  ['=HYPERLINK("http://evil")', 'programs'],
  ['', 'unnamed'],
  [null, 'unnamed'],
]

describe('programs', () => {
  it.each(BROWSERS)('are not %s', (agent) => {
    expect(botName(agent)).toBeNull()
  })
  it.each(BOTS)('are told by what they say: %s', (agent, name) => {
    expect(botName(agent)).toBe(name)
    expect(isBotName(name)).toBe(true)
  })
})

describe('days and statuses', () => {
  it('are those of UTC, and no others', () => {
    const ms = Date.parse('2026-11-24T23:59:59.999Z')
    expect(dayText(dayNumber(ms))).toBe('2026-11-24')
    expect(dayText(dayNumber(ms + 1))).toBe('2026-11-25')
    expect(dayOfText('2026-11-24')).toBe(dayNumber(ms))
    for (const text of ['2026-02-30', '2026-13-01', '20261124', '2026-11-24x', '', '0000-00-00'])
      expect(dayOfText(text), text).toBeNull()
    expect([200, 404, 509, 299, 600, 999, 0].map(statusName)).toEqual([
      '200',
      '404',
      '509',
      '2xx',
      '6xx',
      '9xx',
      '0xx',
    ])
  })
})
