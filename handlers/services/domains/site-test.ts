import { nameFor } from '../../domain/domains/wildcard-name.ts'
import { invalid, notFound } from '../../errors.ts'
import { readTestAddress } from '../../domain/site-test/test-rules.ts'
import type { SiteTest, SiteTestResult } from '../../ports/host/web/site-test.ts'
import { DOMAIN_NOT_FOUND } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** A request to think through, as somebody asks for it. */
export interface SiteTestOrder {
  /** A path of the site, or an address with one of its names. */
  url: string
  method: SiteTest['method']
  headers: Readonly<Record<string, string>>
  /** In place of the document root's `.htaccess`; null: it says what it says. */
  draft: string | null
  clientAddress: string
}

/** Says what a site would answer, and which of its rules make it so. */
export interface SiteTests {
  /** Changes and runs nothing. 400 the address is not the site's, 404 unknown domain, 503 the web server cannot say it at present. */
  run(domainId: number, order: SiteTestOrder): Promise<SiteTestResult>
}

/** For who asks over a way without an address. */
const HERE = '127.0.0.1'
const isAddress = (text: string): boolean =>
  /^[0-9.]{7,15}$/.test(text) || /^[0-9a-f:.]{2,45}$/i.test(text)

export const createSiteTests = ({
  store,
  host,
}: Pick<ServiceDeps, 'store' | 'host'>): SiteTests => ({
  async run(domainId, { url, headers, clientAddress, ...order }) {
    const domain = await store.domainById(domainId)
    if (domain === null) throw notFound(DOMAIN_NOT_FOUND)
    const { domain_name: name, ssl_status } = domain
    const scheme = ssl_status === 'active' ? 'https' : 'http'
    const whole = url.startsWith('/') ? `${scheme}://${nameFor(name)}${url}` : url
    if (readTestAddress(whole) === null)
      throw invalid(
        'url',
        `url must be a path such as /blog/, or an address such as ${scheme}://${nameFor(name)}/blog/.`,
      )
    return host.webServer.explain({
      ...order,
      ...{ domain: name, url: whole, headers: { ...headers } },
      clientAddress: isAddress(clientAddress) ? clientAddress : HERE,
    })
  },
})
