import type { SiteSettings } from '../../ports/host/site-settings.ts'

/** What is protected from other sites' pages unless somebody says otherwise. */
export const USUAL_HOTLINK_EXTENSIONS = ['jpg', 'jpeg', 'png', 'gif', 'webp', 'avif', 'svg', 'mp4']

/** A site for which nobody has chosen anything; new lists each time. */
export const usualSiteSettings = (): SiteSettings => ({
  www: 'both',
  redirects: [],
  headers: [],
  error_pages: {},
  index: [],
  listing: 'rules',
  php: {},
  maintenance: { enabled: false, retry_after_secs: 3600, allow: [] },
  allow: [],
  deny: [],
  hotlink: { enabled: false, extensions: [...USUAL_HOTLINK_EXTENSIONS], allow: [] },
  rate_limits: { rules: [], allow: [] },
  protected: [],
  folders: [],
  backends: [],
})

/** Whether nothing of it differs from a site for which nobody has chosen anything. */
export const isUsual = (settings: SiteSettings): boolean =>
  settings.www === 'both' &&
  settings.listing === 'rules' &&
  !settings.maintenance.enabled &&
  !settings.hotlink.enabled &&
  Object.keys(settings.error_pages).length === 0 &&
  Object.keys(settings.php).length === 0 &&
  [
    settings.redirects,
    settings.headers,
    settings.index,
    settings.allow,
    settings.deny,
    settings.protected,
    settings.rate_limits.rules,
    settings.rate_limits.allow,
    settings.folders,
    settings.backends,
  ].every((list) => list.length === 0)
