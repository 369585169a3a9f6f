/**
 * Query parameters by which advertising, newsletters and social networks tell where
 * a click came from. Pages do not depend on them; a final `*` is a prefix, case counts.
 *
 * Google (Analytics, Ads), Meta, Microsoft, TikTok, Yandex, X, LinkedIn, Pinterest,
 * Snapchat, Reddit, Mailchimp, HubSpot, Marketo, Klaviyo, Matomo, Instagram.
 */
export const CLICK_IDS: readonly string[] = [
  'utm_*',
  'gclid',
  'gclsrc',
  'gbraid',
  'wbraid',
  'dclid',
  'gad_source',
  'gad_campaignid',
  'srsltid',
  '_ga',
  '_gl',
  'fbclid',
  'igshid',
  'igsh',
  'msclkid',
  'ttclid',
  'yclid',
  'ysclid',
  'twclid',
  'li_fat_id',
  'epik',
  'ScCid',
  'rdt_cid',
  'mc_cid',
  'mc_eid',
  '_hsenc',
  '_hsmi',
  '__hstc',
  '__hssc',
  '__hsfp',
  'hsCtaTracking',
  'mkt_tok',
  '_kx',
  'mtm_*',
  'pk_*',
]
