/** Known analytics and preference cookies: they say nothing of who is asking. */
const HARMLESS = [
  '_ga*',
  '_gid',
  '_hjSession*',
  '_fbp',
  'ai_session',
  'wordpress_test_cookie',
  'wp-settings-*',
]

const BYPASS = [
  'wordpress_logged_in_*',
  'wp-postpass_*',
  'wordpress_sec_*',
  'comment_author_*',
  'woocommerce_items_in_cart',
  'woocommerce_cart_hash',
  'wp_woocommerce_session_*',
  'PHPSESSID',
  'laravel_session',
  'XSRF-TOKEN',
  'joomla_user_state',
  'X-Magento-Vary',
  'PrestaShop-*',
]

/** Drupal: `SESS` or `SSESS` and 32 hexadecimal digits. */
const DRUPAL_SESSION = /^s?sess[0-9a-f]{32}$/
/** Whatever calls itself a session or a credential. */
const TELLING_NAME = /session|auth|token/

interface NameList {
  has(lowerName: string): boolean
}

const nameList = (patterns: readonly string[]): NameList => {
  const lower = patterns.map((pattern) => pattern.toLowerCase())
  const exact = new Set(lower.filter((pattern) => !pattern.endsWith('*')))
  const prefixes = lower.filter((pattern) => pattern.endsWith('*')).map((p) => p.slice(0, -1))
  return { has: (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix)) }
}

const harmless = nameList(HARMLESS)
const bypass = nameList(BYPASS)
/** Rules are plain data that lives as long as the configuration; each list is read once. */
const custom = new WeakMap<readonly string[], NameList>()

const cookieNames = (header: string): string[] =>
  header
    .split(';')
    .map((part) => (part.split('=', 1)[0] ?? '').trim().toLowerCase())
    .filter((name) => name !== '')

const isBypassName = (name: string): boolean =>
  !harmless.has(name) && (bypass.has(name) || DRUPAL_SESSION.test(name) || TELLING_NAME.test(name))

/**
 * Whether a `Cookie` header names someone: such a request is neither answered
 * from the cache nor stored. `list` (names, a final `*` is a prefix) replaces
 * the built-in list; names are compared without regard to case.
 */
export const hasBypassCookie = (header: string | null, list: readonly string[] | null): boolean => {
  if (header === null || header === '') return false
  if (list === null) return cookieNames(header).some(isBypassName)
  let names = custom.get(list)
  if (!names) custom.set(list, (names = nameList(list)))
  const chosen = names
  return cookieNames(header).some((name) => chosen.has(name))
}

/**
 * What cookies mean for a request that would fill the store: `telling` where an
 * origin could answer differently because of them, since one is not known as harmless.
 */
export const fillCookies = (header: string | null): 'none' | 'opaque' | 'shaping' | 'telling' => {
  if (header === null || header === '') return 'none'
  return cookieNames(header).some((name) => !harmless.has(name)) ? 'telling' : 'opaque'
}
