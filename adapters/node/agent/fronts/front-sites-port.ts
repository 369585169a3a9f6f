import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { conflict } from '#handlers/errors.ts'
import { canonicalJson } from '#handlers/domain/text/canonical-json.ts'
import { parseSiteName } from '#handlers/domain/domains/site-name.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { FrontSite, FrontSitesPort } from '#handlers/ports/host/web/front-sites.ts'
import { createCertificateFiles } from '../certificates/certificate-files.ts'
import { checkPair } from '../certificates/check-pair.ts'
import { openVhostFiles, vhostFileName } from '../domains/vhost-files.ts'
import type { WebControl } from '../domains/web-control.ts'
import type { OpenRegistry } from '../registry/registry.ts'
import { checkFrontSite } from './check-front-site.ts'

/** What the sites of a front are kept with. */
export interface FrontSitesDeps {
  registry: Pick<OpenRegistry, 'frontSites' | 'vhosts'>
  /** Directory of generated sites. */
  sitesDir: string
  /** Directory of their pairs. */
  certificatesDir: string
  /** Of the web server; null in rootless mode. */
  webGid: number | null
  control: Pick<WebControl, 'reload' | 'purge'>
  log: Log
}

/** Sites looked at between two turns of the event loop. */
const SITES_A_TURN = 200

/** 409 when two sites would have one name. */
const checkNames = (sites: readonly Pick<FrontSite, 'domain' | 'aliases'>[]): void => {
  const owners = new Map<string, string>()
  for (const { domain, aliases } of sites)
    for (const name of [domain, ...aliases]) {
      const owner = owners.get(name)
      if (owner !== undefined && owner !== domain)
        throw conflict(`${name} is already a name of the site ${owner}.`, 'domain_name')
      owners.set(name, domain)
    }
}

export const createFrontSitesPort = ({
  registry,
  sitesDir,
  certificatesDir,
  webGid,
  control,
  log,
}: FrontSitesDeps): FrontSitesPort => {
  const pairs = createCertificateFiles(certificatesDir, webGid)
  const { frontSites } = registry
  const openFiles = () => openVhostFiles(sitesDir, webGid)
  /** By primary name; what was said last of each, as one line. */
  let known: { sites: Map<string, FrontSite>; edition: string } | null = null
  const editionOf = (sites: Iterable<FrontSite>): string => {
    const lines = [...sites].map(canonicalJson).sort()
    return createHash('sha256').update(lines.join('\n')).digest('hex')
  }
  const now = (): { sites: Map<string, FrontSite>; edition: string } => {
    if (known !== null) return known
    // One whose file is not there, as after an import of the registry alone, is brought anew.
    const all = frontSites
      .all()
      .filter(({ domain }) => existsSync(join(sitesDir, vhostFileName(domain))))
    known = { sites: new Map(all.map((site) => [site.domain, site])), edition: editionOf(all) }
    return known
  }

  let queue: Promise<unknown> = Promise.resolve()
  /** One change after the other. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work)
    queue = done.catch(() => undefined)
    return done
  }

  const assertPairs = async (sites: readonly FrontSite[]): Promise<void> => {
    for (const { domain, certificate } of sites)
      if (certificate !== null && (await pairs.read(domain, certificate)) === null)
        throw conflict(`The pair ${certificate} of ${domain} was not brought to this front.`)
  }
  /** What no site shows any more. Never rejects: the sites are served. */
  const prune = async (domains: Iterable<string>): Promise<void> => {
    const { sites } = now()
    for (const domain of domains)
      try {
        const kept = sites.get(domain)?.certificate
        for (const version of await pairs.versions(domain))
          if (version !== kept) await pairs.remove(domain, version)
      } catch (error) {
        log.warn('a pair was not removed', { domain, error: String(error) })
      }
  }
  const reload = async (): Promise<void> => {
    const outcome = await control.reload()
    if (outcome.kind === 'absent')
      log.warn('The web server does not run; it reads the sites of this front when it starts')
    if (outcome.kind === 'refused')
      throw conflict(`The web server refused the new sites: ${outcome.error} Nothing was changed.`)
  }

  return {
    edition: async () => now().edition,

    async held() {
      const files = await openFiles()
      const { sites, edition } = now()
      const changed: string[] = []
      let seen = 0
      for (const site of sites.values()) {
        if (++seen % SITES_A_TURN === 0) await setImmediate()
        if (files.read(site.domain) !== checkFrontSite(site, certificatesDir).text)
          changed.push(site.domain)
      }
      return { edition, sites: [...sites.values()], changed }
    },

    async lacking({ pairs: wanted }) {
      const lacking: typeof wanted = []
      for (const pair of wanted) {
        if (parseSiteName(pair.domain) !== pair.domain) continue
        if ((await pairs.read(pair.domain, pair.version)) === null) lacking.push(pair)
      }
      return lacking
    },

    keepPairs: ({ pairs: given }) =>
      inTurn(async () => {
        // All are judged before one is written.
        const checked = given.map(({ domain, version, certificate, key }) => {
          if (parseSiteName(domain) !== domain) throw conflict(`${domain} is not canonical.`)
          // A host may show what has run out, and so does its front.
          return { domain, version, pair: checkPair({ domain, certificate, key, nowMs: null }) }
        })
        for (const { domain, version, pair } of checked) await pairs.write(domain, version, pair)
      }),

    apply: ({ since, put, remove }) =>
      inTurn(async () => {
        if (now().edition !== since)
          throw conflict('This front has other sites than the change is made for.')
        for (const domain of remove) parseSiteName(domain)
        const before = now().sites
        const rendered: { domain: string; text: string; site: FrontSite }[] = []
        for (const site of put) {
          if (rendered.length % SITES_A_TURN === 0) await setImmediate()
          const { text, site: judged } = checkFrontSite(site, certificatesDir)
          rendered.push({ domain: site.domain, text, site: judged })
        }
        const sites = new Map(before)
        for (const domain of remove) sites.delete(domain)
        for (const { domain, site } of rendered) sites.set(domain, site)
        checkNames([...sites.values(), ...registry.vhosts()])
        await assertPairs(rendered.map(({ site }) => site))
        const gone = remove.filter((domain) => before.has(domain) && !sites.has(domain))

        const files = await openFiles()
        const put_ = new Map(rendered.map(({ domain, text }) => [domain, text]))
        const touched = new Map([...gone, ...put_.keys()].map((one) => [one, files.read(one)]))
        try {
          for (const domain of touched.keys()) await files.set(domain, put_.get(domain) ?? null)
          await reload()
        } catch (error) {
          for (const [domain, text] of touched) await files.set(domain, text)
          await control.reload().catch(() => undefined)
          throw error
        }
        frontSites.change(
          rendered.map(({ site }) => site),
          gone,
        )
        known = { sites, edition: editionOf(sites.values()) }
        // Whoever has the name next must not find pages of before.
        if (gone.length > 0 && !(await control.purge(gone)))
          log.warn('pages of sites that went were not purged: the web server does not run')
        await prune(touched.keys())
        return { edition: known.edition }
      }),
  }
}
