import type { SiteSettings } from '../../ports/host/site-settings.ts'
import { DEFAULT_INDEX } from './default-index.ts'
import { tidyBackend } from './backends/tidy-backend.ts'
import { canonicalBlock } from './address-block.ts'

const blocks = (list: readonly string[]): string[] => [
  ...new Set(list.map((one) => canonicalBlock(one) ?? one)),
]

const indexOf = (names: readonly string[]): string[] => {
  const once = [...new Set(names)]
  return once.join('/') === DEFAULT_INDEX.join('/') ? [] : once
}

/** The same in one spelling: addresses as they are compared, names of headers once, nothing twice. */
export const tidySettings = (settings: SiteSettings): SiteSettings => ({
  ...settings,
  index: indexOf(settings.index),
  allow: blocks(settings.allow),
  deny: blocks(settings.deny),
  maintenance: { ...settings.maintenance, allow: blocks(settings.maintenance.allow) },
  rate_limits: { ...settings.rate_limits, allow: blocks(settings.rate_limits.allow) },
  hotlink: {
    ...settings.hotlink,
    extensions: [...new Set(settings.hotlink.extensions)],
    allow: [...new Set(settings.hotlink.allow)],
  },
  backends: settings.backends.map(tidyBackend),
})
