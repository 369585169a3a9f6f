import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { invalid } from '#handlers/errors.ts'
import { isCertificateVersion } from '#handlers/domain/certificates/certificate-version.ts'
import { renderFrontSite } from '#handlers/domain/config/proxy/front-config.ts'
import { parseIncludedFile } from '#handlers/domain/config/server-config.ts'
import { parseSiteName } from '#handlers/domain/domains/site-name.ts'
import { siteFileName } from '#handlers/domain/domains/wildcard-name.ts'
import { parseProxyUpstream } from '#handlers/domain/upstreams/proxy-upstream.ts'
import type { FrontSite } from '#handlers/ports/host/web/front-sites.ts'

/** A checked site and its file. */
export interface RenderedFrontSite {
  site: FrontSite
  text: string
}

const checkName = (name: string, field: string): void => {
  if (parseSiteName(name, field) !== name)
    throw invalid(field, `${field} ${JSON.stringify(name)} is not in its canonical form.`)
}

/** Where the files of a pair lie. */
export const pairFiles = (
  directory: string,
  domain: string,
  version: string,
): { certificate: string; key: string } => {
  const place = join(directory, siteFileName(domain), version)
  return { certificate: join(place, 'certificate.pem'), key: join(place, 'key.pem') }
}

/** Only known fields go on; what else a caller sends is dropped here. */
const onlyKnown = ({ cache, origin, ...site }: FrontSite): FrontSite => ({
  domain: site.domain,
  aliases: [...new Set(site.aliases)].filter((alias) => alias !== site.domain),
  suspended: site.suspended,
  overBandwidth: site.overBandwidth,
  certificate: site.certificate,
  redirectHttps: site.redirectHttps,
  ...(site.defaultHost === true && { defaultHost: true as const }),
  cache: {
    enable: cache.enable,
    ttl: cache.ttl,
    exclude: cache.exclude,
    ...(cache.bypassCookies && { bypassCookies: cache.bypassCookies }),
    ...(cache.ignoreQueryParams && { ignoreQueryParams: cache.ignoreQueryParams }),
    ...(cache.mobileVariant !== undefined && { mobileVariant: cache.mobileVariant }),
    ...(cache.fills && { fills: cache.fills }),
    ...(cache.harmlessCookies && { harmlessCookies: cache.harmlessCookies }),
    ...(cache.sessionCookies && { sessionCookies: cache.sessionCookies }),
    ...(cache.application !== undefined && { application: cache.application }),
  },
  origin: { address: origin.address, channel: origin.channel },
})

/**
 * Checks a site that this front is told of and renders its file; what the file says is read back, so
 * nothing in a value can become syntax. Throws 400 for a bad field.
 */
export const checkFrontSite = (given: FrontSite, certificates: string): RenderedFrontSite => {
  checkName(given.domain, 'domain_name')
  for (const alias of given.aliases) checkName(alias, 'aliases')
  if (given.certificate !== null && !isCertificateVersion(given.certificate))
    throw invalid('certificate', 'certificate is not the version of one.')
  const upstream = parseProxyUpstream(`https://${given.origin.address}`)
  if (typeof upstream === 'string' || upstream.kind !== 'tcp')
    throw invalid('origin', 'origin is not the address of a machine.')
  const site = onlyKnown(given)
  const ssl =
    site.certificate === null ? null : pairFiles(certificates, site.domain, site.certificate)
  const text = renderFrontSite(site, ssl)
  const { hosts, problems } = parseIncludedFile(`${site.domain}.toml`, text)
  const [problem] = problems
  if (problem) throw invalid(problem.key, `${problem.key} ${problem.message}`)
  const said = hosts.map(({ host }) => [
    ...[host.domain, host.aliases, host.suspended, host.over_bandwidth, host.redirect_https],
    ...[host.default_host === true, host.ssl_certificate, host.ssl_certificate_key],
    ...[host.proxy?.upstream, host.proxy?.channel, host.home, host.cache.exclude],
  ])
  const wanted = [
    ...[site.domain, site.aliases, site.suspended, site.overBandwidth, site.redirectHttps],
    ...[site.defaultHost === true, ssl?.certificate ?? null, ssl?.key ?? null],
    ...[`https://${site.origin.address}`, site.origin.channel, null, site.cache.exclude],
  ]
  if (!isDeepStrictEqual(said, [wanted]))
    throw invalid(
      'domain_name',
      `The configuration of ${site.domain} would not say what it should.`,
    )
  return { site, text }
}
