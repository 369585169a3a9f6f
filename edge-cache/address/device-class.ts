import type { PageVariant } from './key.ts'

/** As WordPress' `wp_is_mobile` judges, which most themes and plugins ask. */
const MOBILE = /Mobile|Android|Silk\/|Kindle|BlackBerry|Opera Mini|Opera Mobi/

/** Which variant of a page a client gets, from its `User-Agent`. */
export const deviceClass = (userAgent: string | null): Exclude<PageVariant, null> =>
  MOBILE.test(userAgent ?? '') ? 'mobile' : 'desktop'

const DESKTOP_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'
const MOBILE_AGENT =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36'

/** The `User-Agent` that fills a shared page: a common browser of the class, nothing of the client's. */
export const neutralUserAgent = (variant: PageVariant): string =>
  variant === 'mobile' ? MOBILE_AGENT : DESKTOP_AGENT
