import { createCookieMemory, fillCookies, hasBypassCookie, taughtNames } from '#edge-cache/index.ts'
import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import { createHarness } from './cache-harness.ts'

const DIGEST = '0123456789abcdef'.repeat(2)

/** Cookies of sessions and log-ins, each by its name alone. */
const SESSIONS = [
  'PHPSESSID',
  'phpsessid',
  'connect.sid',
  'sid',
  'board_sid',
  'fe_typo_user',
  'be_typo_user',
  DIGEST,
  DIGEST.toUpperCase(),
  `DW${DIGEST}`,
  `SESS${DIGEST}`,
  `SSESS${DIGEST}`,
  'SESS_LIKE',
  'REMEMBERME',
  'remember_web_59ba36',
  'xf_user',
  'mybbuser',
  'CAKEPHP',
  'OCSESSID',
  'my_sess_2',
  'JSESSIONID',
  'ASP.NET_SessionId',
  'user_token',
  'csrftoken',
  'XSRF-TOKEN',
  'AUTHUSER',
  'laravel_session',
  'wordpress_logged_in_abc',
  'wordpress_sec_1',
  'wp-postpass_abc',
  'comment_author_x',
  'woocommerce_items_in_cart',
  'woocommerce_cart_hash',
  'wp_woocommerce_session_x',
  'edd_items_in_cart',
  'joomla_user_state',
  'X-Magento-Vary',
  'PrestaShop-0',
  'wikidbUserID',
  'wikidbUserName',
  'wikidb_session',
  'phpbb3_x1_u',
  'nc_session_id',
  'roundcube_sessid',
  'phpMyAdmin_https',
  'pmaUser-1',
]

const OPAQUE = [
  '_ga',
  '_ga_XYZ',
  '_gat_gtag_UA_1',
  '_gid',
  '_gcl_au',
  '_dc_gtm_UA-1-1',
  'AMP_TOKEN',
  'AMP_0123456789',
  'amplitude_session',
  'amplitude_id_x',
  'rl_session',
  'rl_anonymous_id',
  'intercom-session-ab12',
  'intercom-id-ab12',
  '_hjAbsoluteSessionInProgress',
  '_hjSession_12',
  '_hjSessionUser_12',
  '_fbp',
  'ai_session',
  '_pk_id.1.1fff',
  '_pk_ses.1.1fff',
  'hubspotutk',
  '__hssc',
  '_clck',
  '_clsk',
  '_uetsid',
  '_ttp',
  'li_fat_id',
  '_pinterest_sess',
  'cto_bundle',
  'sbjs_session',
  'mtc_sid',
  '__cf_bm',
  'cf_clearance',
  '__cflb',
  'AWSALB',
  'AWSALBCORS',
  'aws-waf-token',
  'incap_ses_1_2',
  'wordpress_test_cookie',
  'wp-settings-time-1',
  'mage-cache-sessid',
  'wikidbmwuser-sessionId',
]

const SHAPING = [
  'optimizelySession',
  'optimizelyEndUserId',
  '_vwo_uuid',
  '_vis_opt_s',
  '_gaexp',
  'ABTastySession',
  'OptanonConsent',
  'CookieConsent',
  'cookieyes-consent',
  'cookielawinfo-checkbox-analytics',
  'cmplz_marketing',
  'borlabs-cookie',
  'klaro',
  'didomi_token',
  'hs_ab_test',
]

/** Unknown to all lists; what they hold decides. */
const PLAIN = ['theme', 'lang', 'cart_view', 'pll_language', 'wpml_current_language', 'currency']

/** Values that say that somebody is meant, whatever the cookie is called. */
const ID_LIKE = [
  'b7k3v1u0q9mcl5f2e8g4h6j7r1', // PHP, 26 characters
  '9f86d081884c7d659a2feaa0c55ad015', // PHP, hexadecimal
  'N7x2QpLr9VbT4mKs8WdY', // 20 characters of base64
  '550e8400-e29b-41d4-a716-446655440000',
  '00000000-0000-4000-8000-000000000000',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N',
  'eyJpdiI6Ik1qTXlNamN3TkRNPSIsInZhbHVlIjoiZ1pKb3hR%3D', // Laravel
  's%3AQ3m9nVx1Lk7Rt2Yw8Zp4Bc6Df0Gh5Jj.Xk2%2Bq', // connect
  'admin%7C1700000000%7CaBc3dEf6GhI9jKl2MnO5pQr8%7C9f86d081884c7d659a2f', // WordPress
  'dGhpcyBpcyBhIHNlc3Npb24gaWQ5Xy0-_w',
  '"a3f5c9e1b7d2084f6a9c"',
  'user=17&key=9f86d081884c7d659a2f',
]

/** Values that many visitors share, or that say nothing. */
const ORDINARY = [
  '',
  '1',
  'dark',
  'de-DE',
  'grid',
  'deleted',
  '1.2.1700000000.1700000001',
  'GA1.2.1234567890.1700000000',
  '1700000000123',
  '17000000001231700000000123',
  '2026-01-15T10:30:00.000Z',
  '12345-67890-12345-67890',
  'my-favourite-theme-settings-dark-mode',
  'show_recently_viewed_products_in_sidebar',
  'showRecentlyViewedProductsInSidebar',
  'homepage-slider-2-columns-v3-blue',
  'item1-item2-item3-item4-item5',
  'item1,item2,item3,item4,item5,item6',
  '%7B%22analytics%22%3Atrue%2C%22ads%22%3Afalse%2C%22version%22%3A3%7D',
  '{"necessary":true,"statistics":false}',
  'https%3A%2F%2Fwww.example.com%2Fsome%2Fpath%2Fproduct-12345',
  'en-US,en;q=0.9',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  '11111111-1111-1111-1111-11111111111',
  'Europe/Vienna',
  '1920x1080x24',
]

const NOW_MS = Date.parse('2026-06-01T00:00:00Z')
const PAGE = 'http://a.test/page'
const rule = {
  harmless_cookies: ['own_*', 'PHPSESSID'],
  session_cookies: ['vip', '_ga_x', 'own_b'],
}
const noRule = { harmless_cookies: [], session_cookies: [] }

/** What answers teach: field, and the names that are learned. */
const TAUGHT: readonly (readonly [field: string, names: string[]])[] = [
  ['basket=1', ['basket']],
  ['Basket=1; Path=/; HttpOnly; SameSite=Lax', ['basket']],
  ['basket=1; Max-Age=3600', ['basket']],
  ['basket=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT', ['basket']],
  ['basket=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:01 GMT', ['basket']],
  ['basket=1; Expires=no date', ['basket']],
  ['basket=1; Max-Age=soon', ['basket']],
  ['basket=1; Max-Age=0', []],
  ['basket=1; max-age=-1', []],
  ['basket=1; Max-Age=0; Expires=Wed, 01 Jan 2031 00:00:00 GMT', []],
  ['basket=1; expires=Thu, 01-Jan-1970 00:00:01 GMT', []],
  ['basket=deleted; expires=Thu, 01-Jan-1970 00:00:01 GMT; Max-Age=0', []],
  ['basket=', []],
  ['basket=""', []],
  ['basket', []],
  ['=1', []],
  ['_ga=1', []],
  ['OptanonConsent=1', []],
  ['PHPSESSID=1', []],
  ['own_thing=1', []],
  ['vip=1', []],
]

/** Whose cookies keep him from the cache, and whose answers may be stored for all. */
export const cacheCookiesContract = (): ContractCase[] => [
  ...SESSIONS.map((name): ContractCase =>
    contractCase(`cookies: ${name} is a session`, async () => {
      same(hasBypassCookie(`${name}=1`, null), true)
      same(hasBypassCookie(`a=b; ${name}=1; c=d`, null), true)
      same(fillCookies(`${name}=1`), 'telling')
    }),
  ),
  ...[...OPAQUE.map((name) => [name, 'opaque']), ...SHAPING.map((name) => [name, 'shaping'])].map(
    ([name = '', kind]): ContractCase =>
      contractCase(`cookies: ${name} tells nothing (${kind})`, async () => {
        const header = `${name}=${ID_LIKE[0]}`
        same(hasBypassCookie(header, null), false)
        same(fillCookies(header), kind)
      }),
  ),
  ...PLAIN.map((name): ContractCase =>
    contractCase(`cookies: ${name} is neither a session nor harmless`, async () => {
      same(hasBypassCookie(`${name}=x`, null), false)
      same(fillCookies(`${name}=x`), 'telling')
    }),
  ),
  ...ID_LIKE.map((value): ContractCase =>
    contractCase(`cookies: the value ${value} is somebody's`, async () => {
      same(hasBypassCookie(`unknown=${value}`, null), true)
      same(hasBypassCookie(`unknown=${value}`, []), false, 'an own list looks at names alone')
    }),
  ),
  ...ORDINARY.map((value): ContractCase =>
    contractCase(`cookies: the value ${value} is nobody's`, async () => {
      same(hasBypassCookie(`unknown=${value}`, null), false)
    }),
  ),
  ...TAUGHT.map(([field, names]): ContractCase =>
    contractCase(`cookies: Set-Cookie: ${field} teaches ${names.join() || 'nothing'}`, async () => {
      same(taughtNames([field], rule, NOW_MS), names)
    }),
  ),
  contractCase('cookies: the strongest of several counts', async () => {
    same(fillCookies(null), 'none')
    same(fillCookies(''), 'none')
    same(fillCookies(' ; ;'), 'none')
    same(fillCookies('_ga=1; _gid=2'), 'opaque')
    same(fillCookies('OptanonConsent=1; _ga=1'), 'shaping')
    same(fillCookies('_ga=1; klaro=1; theme=dark'), 'telling')
  }),
  contractCase('cookies: the names of a field are read however it is written', async () => {
    for (const header of ['PHPSESSID', ' PHPSESSID = 1', 'a;PHPSESSID=1', ';;=x;phpsessid=;'])
      same(hasBypassCookie(header, null), true, header)
    for (const header of ['', ';', '=PHPSESSID', 'a=PHPSESSID', 'a=b=PHPSESSID'])
      same(hasBypassCookie(header, null), false, header)
  }),
  contractCase('cookies: hundreds of them are not looked at one by one, but kept out', async () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, index) => `a${index}=1`).join('; ')
    same(hasBypassCookie(many(150), null), false)
    same(hasBypassCookie(many(2000), null), true)
    same(fillCookies(many(2000)), 'telling')
  }),
  contractCase('cookies: a name that was learned counts at its site, and there alone', async () => {
    const memory = createCookieMemory()
    same(memory.learn('a.test', ['basket'], NOW_MS), true)
    same(memory.learn('a.test', ['basket'], NOW_MS + 1), false, 'again')
    same(hasBypassCookie('Basket=1', null, memory.at('a.test', noRule)), true)
    same(hasBypassCookie('Basket=1', null, memory.at('b.test', noRule)), false)
    same(hasBypassCookie('Basket=1', ['other'], memory.at('a.test', noRule)), false, 'own list')
    same(memory.get('a.test'), { names: [['basket', NOW_MS]], full: false })
    const copy = createCookieMemory(memory.all())
    same(copy.at('a.test', noRule).has('basket'), true, 'copied')
    holds(copy.at('a.test', noRule) === copy.at('a.test', noRule), 'the same until it changes')
    same(memory.forget('a.test', 'basket'), true)
    same(hasBypassCookie('Basket=1', null, memory.at('a.test', noRule)), false, 'forgotten')
    same(memory.all(), {})
  }),
  contractCase(
    "cookies: the owner's word goes before lists, values and what was learned",
    async () => {
      const memory = createCookieMemory()
      memory.learn('a.test', ['own_a'], NOW_MS)
      const view = memory.at('a.test', rule)
      for (const header of ['own_a=1', 'Own_token=1', `own_x=${ID_LIKE[0]}`, 'PHPSESSID=1']) {
        same(hasBypassCookie(header, null, view), false, header)
        same(fillCookies(header, view), 'shaping', header)
      }
      same(hasBypassCookie('own_a=1; laravel_session=1', null, view), true)
      for (const header of ['VIP=1', '_ga_x=1']) {
        same(hasBypassCookie(header, null, view), true, header)
        same(fillCookies(header, view), 'telling', header)
      }
      same(hasBypassCookie('own_b=1', null, view), false, 'harmless goes first')
      same(hasBypassCookie('own_a=1', null, memory.at('a.test', noRule)), true)
    },
  ),
  contractCase(
    'cookies: where more names are set than are kept, every unknown one counts',
    async () => {
      const memory = createCookieMemory({}, { maxNames: 2 })
      memory.learn('a.test', ['one', 'two'], NOW_MS)
      const before = memory.at('a.test', rule)
      same([before.isFull, hasBypassCookie('three=1', null, before)], [false, false])
      memory.learn('a.test', ['three'], NOW_MS)
      const after = memory.at('a.test', rule)
      same([after.isFull, hasBypassCookie('four=1', null, after)], [true, true])
      same(hasBypassCookie('_ga=1; klaro=1; own_a=1', null, after), false)
      same(memory.isNews('a.test', 'four'), false, 'nothing more to say')
      memory.forget('a.test', 'one')
      same(memory.at('a.test', rule).isFull, true, 'what was left out is still not known')
      memory.forget('a.test', null)
      same(memory.at('a.test', rule).isFull, false)
    },
  ),
  contractCase(
    'cookies: a name too long to be kept, and no room for any site, count as full',
    async () => {
      const memory = createCookieMemory({}, { maxAllNames: 24 })
      memory.learn('a.test', ['x'.repeat(129)], NOW_MS)
      same(memory.get('a.test'), { names: [], full: true })
      // Each of an account of its own, which has an eighth of the room.
      for (let site = 0; site < 8; site++) {
        memory.learn(`b${site}.test`, ['1', '2', '3'], NOW_MS)
        same(memory.get(`b${site}.test`).full, false)
      }
      memory.learn('c.test', ['1'], NOW_MS)
      same(memory.get('c.test'), { names: [], full: true })
    },
  ),
  contractCase('cookies: the page cache is told of what was learned', async () => {
    const memory = createCookieMemory()
    const harness = createHarness()
    await harness.get(PAGE)
    const ask = async (): Promise<string | null> =>
      (
        await harness.get(PAGE, {
          headers: { cookie: 'basket=1' },
          learned: memory.at('a.test', noRule),
        })
      ).xCache
    same(await ask(), 'HIT')
    memory.learn('a.test', ['basket'], NOW_MS)
    same(await ask(), 'MISS')
  }),
]
