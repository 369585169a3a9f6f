import { PLAIN_TEXT } from '../config/site/site-texts.ts'
import { shownText } from './report.ts'
import type { ConvertedHost } from './merge-pair.ts'
import type { LegacyProxy, LegacyRateLimit, LegacyRewrite, LegacyServer } from './types.ts'

/** A TOML basic string: JSON's, but for DEL, which TOML wants escaped, and what a terminal obeys. */
const quote = (value: string): string =>
  JSON.stringify(value.toWellFormed()).replace(
    /[\x7f-\x9f]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Patterns read best as they are: between single quotes nothing is escaped. */
const literal = (value: string): string =>
  /['\p{Cc}\p{Cs}]/u.test(value) ? quote(value) : `'${value}'`

const list = (values: readonly string[]): string => `[${values.map(quote).join(', ')}]`

const table = (values: Readonly<Record<string, string | true>>): string =>
  `{ ${Object.entries(values)
    .map(
      ([name, value]) =>
        `${/^[A-Za-z0-9_-]+$/.test(name) ? name : quote(name)} = ${value === true ? 'true' : quote(value)}`,
    )
    .join(', ')} }`

const rewriteLine = ({ pattern, target, flags, conditions }: LegacyRewrite): string => {
  const parts = [`pattern = ${literal(pattern)}`, `target = ${literal(target)}`]
  if (flags !== '') parts.push(`flags = ${quote(flags)}`)
  if (conditions.length > 0) parts.push(`conditions = [${conditions.map(literal).join(', ')}]`)
  return `  { ${parts.join(', ')} },`
}

const rulesText = (lines: readonly string[]): string => {
  const text = `${lines.join('\n')}\n`
  const isPlain = !text.includes("'''") && !/[^\P{Cc}\n\t]|\p{Cs}/u.test(text)
  return isPlain ? `'''\n${text}'''` : quote(text)
}

const limitLine = ({ path, requests, perSecs, burst }: LegacyRateLimit): string =>
  `  { path = ${quote(path)}, requests = ${requests}, per_secs = ${perSecs}, burst = ${burst}, count_hits = true },`

const proxyLines = (proxy: LegacyProxy, section: string): string[] => [
  '',
  `[virtualhost.${section}]`,
  ...(proxy.upstreams === undefined
    ? [`upstream = ${quote(proxy.upstream)}`]
    : [
        'upstreams = [',
        ...proxy.upstreams.map(
          (one) => `  { upstream = ${quote(one.upstream)}, weight = ${one.weight} },`,
        ),
        ']',
      ]),
  ...(proxy.paths === null || proxy.paths.length === 0 ? [] : [`paths = ${list(proxy.paths)}`]),
  ...(proxy.except.length === 0 ? [] : [`except = ${list(proxy.except)}`]),
  ...(proxy.replacePrefix === undefined ? [] : [`replace_prefix = ${table(proxy.replacePrefix)}`]),
  ...(proxy.preserveHost ? [] : ['preserve_host = false']),
  ...(proxy.websocket ? [] : ['websocket = false']),
  ...(proxy.verifyTls || !proxy.upstream.startsWith('https:') ? [] : ['verify_tls = false']),
  ...(proxy.timeoutSecs === null ? [] : [`timeout_secs = ${proxy.timeoutSecs}`]),
]

/** One `[[virtualhost]]` with its tables. */
export const renderHost = (host: ConvertedHost): string => {
  const { site, names } = host
  const [domain = '', ...aliases] = names
  const lines = [
    ...host.from.map(({ file, line }) => `# ${shownText(file)}:${line}`),
    '[[virtualhost]]',
    `domain = ${quote(domain)}`,
  ]
  if (aliases.length > 0) lines.push(`aliases = ${list(aliases)}`)
  lines.push(`root = ${quote(host.root)}`)
  if (site.index !== null) lines.push(`index = ${list(site.index)}`)
  if (host.certificate !== null && host.key !== null)
    lines.push(
      `ssl_certificate = ${quote(host.certificate)}`,
      `ssl_certificate_key = ${quote(host.key)}`,
    )
  if (host.isFallback) lines.push('default_host = true')
  if (host.redirectHttps) lines.push('redirect_https = true')
  if (host.hstsMaxAgeSecs > 0) lines.push(`hsts_max_age_secs = ${host.hstsMaxAgeSecs}`)
  if (site.htaccess) lines.push('htaccess = true')
  if (Object.keys(site.folders).length > 0) lines.push(`folders = ${table(site.folders)}`)
  if (Object.keys(site.errorPages).length > 0) lines.push(`error_pages = ${table(site.errorPages)}`)
  if (Object.keys(site.headers).length > 0) lines.push(`headers = ${table(site.headers)}`)
  if (site.rewrites.length > 0) lines.push('rewrites = [', ...site.rewrites.map(rewriteLine), ']')
  if (site.rules.length > 0) lines.push(`rules = ${rulesText(site.rules)}`)
  lines.push('', '[virtualhost.php]')
  lines.push(site.phpSocket === null ? 'enable = false' : `socket = ${quote(site.phpSocket)}`)
  if (site.rateLimits.length > 0)
    lines.push(
      '',
      '[virtualhost.guard.rate_limits]',
      'rules = [',
      ...site.rateLimits.map(limitLine),
      ']',
      'allow = []',
    )
  if (site.proxy !== null) lines.push(...proxyLines(site.proxy, 'proxy'))
  for (const [name, { status, type, body }] of Object.entries(site.texts))
    lines.push(
      '',
      `[virtualhost.texts.${name}]`,
      ...(status === 200 ? [] : [`status = ${status}`]),
      ...(type === PLAIN_TEXT ? [] : [`type = ${quote(type)}`]),
      `body = ${quote(body)}`,
    )
  for (const [name, backend] of Object.entries(site.backends))
    lines.push(...proxyLines(backend, `backends.${name}`))
  return `${lines.join('\n')}\n`
}

const COMMON_PORTS = new Set(['0.0.0.0:80', '[::]:80', '0.0.0.0:443', '[::]:443'])

/** `[server]` with what differs from its defaults; empty when nothing does. */
export const renderServer = (server: LegacyServer): string => {
  const lines: string[] = []
  const listens: [string, readonly string[]][] = [
    ['listen', server.listen],
    ['listen_ssl', server.listenSsl],
  ]
  for (const [key, given] of listens) {
    const addresses = [...new Set(given)]
    if (addresses.some((address) => !COMMON_PORTS.has(address)))
      lines.push(`${key} = ${list(addresses)}`)
  }
  if (server.keepaliveSecs !== null) lines.push(`keepalive_timeout = ${server.keepaliveSecs}`)
  if (server.maxBodyBytes !== null) lines.push(`max_body_size = ${server.maxBodyBytes}`)
  return lines.length === 0 ? '' : `[server]\n${lines.join('\n')}\n`
}
