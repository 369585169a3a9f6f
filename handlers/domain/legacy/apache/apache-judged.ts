import { trimEndOf } from '../../../../edge-cache/fields/field-text.ts'
import { changed, judgedBy, lost, where, type Judgement, type Judges } from '../judgement.ts'
import {
  cookiePathLine,
  COOKIES_BACK,
  isPlainReplacement,
  LEADS_BACK,
  redirectLine,
} from '../mapped-heads.ts'
import type { Report } from '../report.ts'
import { escapePattern } from '../rule-lines.ts'
import type { Directive, LegacyProxy, LegacySite } from '../types.ts'

/** Filters that Berth has by itself, or that only prepare others. */
const COMPRESSES = /^(?:DEFLATE|BROTLI_COMPRESS|INFLATE|NONE)$/i

const filters = (text: string | undefined): Judgement | null => {
  const others = (text ?? '').split(';').filter((name) => name !== '' && !COMPRESSES.test(name))
  return others.length === 0 ? null : lost(`Berth has no filter ${others.join(', ')}.`)
}

/** Directives of which nothing is missed but with these values. */
const JUDGES: Judges = {
  setoutputfilter: ([first]) => filters(first),
  addoutputfilter: ([first]) => filters(first),
  addoutputfilterbytype: ([first]) => filters(first),
  filterprovider: ([, provider]) => filters(provider),
  setinputfilter: ([first]) => filters(first?.replace(/^DEFLATE$/i, 'DEFLATE of requests')),
  ssloptions: where(
    /^\+?FakeBasicAuth$/i,
    lost('Berth asks visitors for no certificates, so none stands for a name and a password.'),
  ),
  passenv: () => lost('PHP gets nothing of the server’s own environment. Write it with SetEnv.'),
  proxyrequests: where(/^on$/i, lost('Berth passes requests on for its own sites alone.')),
  proxyvia: where(/^(?:on|full|block)$/i, changed('Berth adds no Via.')),
  proxyaddheaders: where(
    /^off$/i,
    changed('Applications are told by X-Forwarded-For and its kin who asks.'),
  ),
  authbasicprovider: where(
    /^(?!file$)/i,
    lost('Names and passwords are in files alone (AuthUserFile), so nobody gets in by others.'),
  ),
  authbasicauthoritative: where(/^off$/i, changed('Nothing else is asked about who logs in.')),
  usecanonicalname: where(
    /^(?:on|dns)$/i,
    changed('Redirects of the server itself stay at the name that was asked for.'),
  ),
  mimemagicfile: () => changed('Types of files are told by their endings alone.'),
  acceptpathinfo: where(/^on$/i, changed('Behind a file that is no script no path goes on.')),
}

/** What is missed of a directive because of its value; null: nothing. */
export const judged = ({ name, args }: Directive): Judgement | null => judgedBy(JUDGES, name, args)

/** Whether an address is one of an application's own, which Berth knows by itself. */
const isOwn = (address: string, { proxy, backends }: LegacySite): boolean => {
  if (/^(?:balancer|unix|fcgi|ajp|uwsgi|scgi|h2c?):/i.test(address)) return true
  const origin = /^\w+:\/\/[^/]+/.exec(address)?.[0].replace(/^ws/i, 'http').toLowerCase()
  const applications: LegacyProxy[] = [proxy, ...Object.values(backends)].filter(
    (one) => one !== null,
  )
  return applications.some(({ upstream, upstreams = [] }) =>
    [upstream, ...upstreams.map((one) => one.upstream)].some((one) => one.toLowerCase() === origin),
  )
}

/** Both with a slash at their end: what follows goes on behind it. */
const asPlace = (path: string): string => `${trimEndOf(path, '/')}/`

/** `ProxyPassReverse` and `ProxyPassReverseCookiePath` as lines; null: it is neither. */
export const reverseLines = (
  directive: Directive,
  site: LegacySite,
  report: Report,
): string[] | null => {
  const { name, args } = directive
  const isCookie = name === 'proxypassreversecookiepath'
  if (name !== 'proxypassreverse' && !isCookie) return null
  const addresses = args.filter((word) => !/^interpolate$/i.test(word))
  const [first = '', second] = addresses
  const replaces = [site.proxy, ...Object.values(site.backends)].some(
    (one) =>
      one?.replacePrefix !== undefined &&
      asPlace(one.replacePrefix.from) === asPlace(second ?? '') &&
      asPlace(one.replacePrefix.to) === asPlace(first),
  )
  if (isCookie ? replaces || first === second : isOwn(second ?? first, site)) {
    report.unneeded(directive, isCookie ? COOKIES_BACK : LEADS_BACK)
    return []
  }
  if (second === undefined || !isPlainReplacement(isCookie ? second : first)) {
    report.lost(
      directive,
      'It is no address of an application here. Write it with its path, outside of a section.',
    )
    return []
  }
  // Apache puts it in place of all that follows, too.
  if (isCookie) return [cookiePathLine(first, second, { isWhole: true })]
  return [redirectLine(`^${escapePattern(asPlace(second))}`, asPlace(first))]
}
