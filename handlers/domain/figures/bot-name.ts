/** So much of a User-Agent field is looked at. */
const MAX_LOOKED = 512

/** Programs that say they are one, but none of the list. */
export const OTHER_BOTS = 'other'
/** What does not even begin as browsers do: libraries and command lines. */
export const PROGRAMS = 'programs'
/** Whoever sends no User-Agent field. */
export const UNNAMED = 'unnamed'

/**
 * Words by which those who read many sites name themselves, as their operators document
 * them (developers.google.com/search/docs/crawling-indexing, bing.com/webmasters/help,
 * platform.openai.com/docs/bots, support.anthropic.com, developers.facebook.com/docs/sharing
 * and so on), lower case, with the name they are shown under. The first that fits counts.
 */
const KNOWN: readonly (readonly [word: string, name: string])[] = [
  ['adsbot-google', 'Google AdsBot'],
  ['mediapartners-google', 'Google AdSense'],
  ['google-inspectiontool', 'Google Inspection'],
  ['googleother', 'GoogleOther'],
  ['feedfetcher-google', 'Google Feedfetcher'],
  ['storebot-google', 'Google StoreBot'],
  ['googlebot', 'Googlebot'],
  ['bingbot', 'Bingbot'],
  ['bingpreview', 'Bing Preview'],
  ['duckduckbot', 'DuckDuckBot'],
  ['duckassistbot', 'DuckAssistBot'],
  ['baiduspider', 'Baiduspider'],
  ['yandex', 'Yandex'],
  ['slurp', 'Yahoo Slurp'],
  ['applebot', 'Applebot'],
  ['petalbot', 'PetalBot'],
  ['seznambot', 'SeznamBot'],
  ['qwantbot', 'Qwantbot'],
  ['gptbot', 'GPTBot'],
  ['chatgpt-user', 'ChatGPT-User'],
  ['oai-searchbot', 'OAI-SearchBot'],
  ['claudebot', 'ClaudeBot'],
  ['claude-', 'Claude'],
  ['perplexity', 'Perplexity'],
  ['ccbot', 'CCBot'],
  ['bytespider', 'Bytespider'],
  ['amazonbot', 'Amazonbot'],
  ['meta-external', 'Meta'],
  ['facebookexternalhit', 'Facebook'],
  ['facebot', 'Facebook'],
  ['twitterbot', 'Twitterbot'],
  ['linkedinbot', 'LinkedInBot'],
  ['pinterest', 'Pinterest'],
  ['whatsapp', 'WhatsApp'],
  ['telegrambot', 'TelegramBot'],
  ['discordbot', 'Discordbot'],
  ['slackbot', 'Slackbot'],
  ['ahrefs', 'AhrefsBot'],
  ['semrush', 'SemrushBot'],
  ['mj12bot', 'MJ12bot'],
  ['dotbot', 'DotBot'],
  ['dataforseo', 'DataForSeoBot'],
  ['screaming frog', 'Screaming Frog'],
  ['archive.org_bot', 'Internet Archive'],
  ['ia_archiver', 'Internet Archive'],
  ['uptimerobot', 'UptimeRobot'],
  ['pingdom', 'Pingdom'],
  ['statuscake', 'StatusCake'],
  ['site24x7', 'Site24x7'],
  ["let's encrypt", "Let's Encrypt"],
  ['chrome-lighthouse', 'Lighthouse'],
  ['headlesschrome', 'Headless Chrome'],
  ['wordpress/', 'WordPress'],
]

/** Words in what others call themselves. `cubot` is a telephone. */
const GENERIC =
  /(?<!cu)bot|crawl|spider|scrap|fetch|scan|monitor|uptime|preview|validator|checker|archiver|http-client|headless|phantomjs|selenium|puppeteer|playwright|\+https?:/

/** Those of the list that a browser-like field may have without any generic word. */
const MENTIONS =
  /google-|googleother|yandex(?:images|video|media|metrika|direct|webmaster)|slurp|chatgpt-user|claude-|perplexity|meta-external|facebookexternalhit|pinterest\/|ahrefs|semrush|dataforseo|ia_archiver|pingdom|statuscake|site24x7|chrome-lighthouse|petalbot/

/** What every browser begins with. */
const BROWSER = /^(?:mozilla\/|opera\/)/

/**
 * The program behind a User-Agent field, under a name of a fixed list; null for what a
 * person's browser sends. Nothing of the field itself is in it.
 */
export const botName = (agent: string | null): string | null => {
  const text = (agent ?? '').slice(0, MAX_LOOKED).trim().toLowerCase()
  if (text === '') return UNNAMED
  const isBrowser = BROWSER.test(text)
  if (isBrowser && !GENERIC.test(text) && !MENTIONS.test(text)) return null
  for (const [word, name] of KNOWN) if (text.includes(word)) return name
  return isBrowser || GENERIC.test(text) ? OTHER_BOTS : PROGRAMS
}

/** Whether `botName` may have answered a name. */
export const isBotName = (name: string): boolean => NAMES.has(name)

const NAMES = new Set([...KNOWN.map(([, name]) => name), OTHER_BOTS, PROGRAMS, UNNAMED])
