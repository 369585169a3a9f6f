import {
  errorPageOf,
  folderLine,
  folderOf,
  headerLine,
  headerOf,
  rateLimitLine,
  rateLimitOf,
  redirectLine,
  redirectOf,
} from '#handlers/domain/site-settings/setting-lines.ts'
import type { SiteSettings } from '$lib/api/types'
import { linesOf } from '$lib/format/lines'
import { changedValues } from '$lib/state/forms/changed-values'

/** A site's settings as one types them, one entry a line. */
export const siteForm = (settings: SiteSettings | null) => ({
  www: settings?.www ?? 'both',
  redirects: settings?.redirects.map(redirectLine).join('\n') ?? '',
  maintenance: settings?.maintenance.enabled ?? false,
  maintenance_allow: settings?.maintenance.allow.join('\n') ?? '',
  deny: settings?.deny.join('\n') ?? '',
  allow: settings?.allow.join('\n') ?? '',
  rate_limits: settings?.rate_limits.rules.map(rateLimitLine).join('\n') ?? '',
  rate_limits_allow: settings?.rate_limits.allow.join('\n') ?? '',
  hotlink: settings?.hotlink.enabled ?? false,
  hotlink_allow: settings?.hotlink.allow.join('\n') ?? '',
  headers: settings?.headers.map(headerLine).join('\n') ?? '',
  error_pages: Object.entries(settings?.error_pages ?? {})
    .map(([status, path]) => `${status} ${path}`)
    .join('\n'),
  folders: settings?.folders.map(folderLine).join('\n') ?? '',
  index: settings?.index.join('\n') ?? '',
  listing: settings?.listing ?? 'rules',
})

const read = <T>(text: string, of: (line: string) => T | null): T[] =>
  linesOf(text)
    .map(of)
    .filter((entry) => entry !== null)

/** The first line that says nothing that can be read; null: each does. */
export const unreadLine = (text: string, of: (line: string) => unknown): string | null =>
  linesOf(text).find((line) => of(line) === null) ?? null

/** What the form changes, as `PATCH /api/domains/:id/site` takes it; nothing else is sent. */
export const changedSite = (
  known: SiteSettings,
  form: ReturnType<typeof siteForm>,
): Partial<SiteSettings> =>
  changedValues<SiteSettings>(known, {
    www: form.www,
    redirects: read(form.redirects, redirectOf),
    maintenance: {
      ...known.maintenance,
      enabled: form.maintenance,
      allow: linesOf(form.maintenance_allow),
    },
    deny: linesOf(form.deny),
    allow: linesOf(form.allow),
    rate_limits: {
      rules: read(form.rate_limits, rateLimitOf),
      allow: linesOf(form.rate_limits_allow),
    },
    hotlink: { ...known.hotlink, enabled: form.hotlink, allow: linesOf(form.hotlink_allow) },
    headers: read(form.headers, headerOf),
    error_pages: Object.fromEntries(read(form.error_pages, errorPageOf)),
    folders: read(form.folders, folderOf),
    index: linesOf(form.index),
    listing: form.listing,
  })
