import { SITE_PHP_RULES, phpSizeBytes, type SitePhpRule } from '../../domain/php/site-php-rules.ts'
import { parseUserIni } from '../../domain/php/user-ini.ts'
import { isAppError, notFound } from '../../errors.ts'
import type { PhpFacts } from '../../ports/host/php.ts'
import type { DomainRow, PhpMode } from '../../ports/store/records.ts'
import { DOMAIN_NOT_FOUND, planOf, requireAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { effectivePhp } from '../virtual-hosts/virtual-hosts.ts'

/** Who said what a setting is: PHP's own configuration, the server's, the plan's memory, the site's settings, a file of the site. */
export type PhpSource = 'php.ini' | 'server' | 'plan' | 'domain' | '.user.ini'

/** One setting of a site's PHP. */
export interface SitePhpSetting {
  name: string
  /** What scripts in the document root begin with. */
  value: string
  source: PhpSource
  /** Chosen for the site; null: nothing was. */
  own: string | null
  rule: SitePhpRule
}

/** The PHP of one site. */
export interface SitePhp {
  /** Major.minor; null: the host has none. */
  version: string | null
  /** E.g. `8.2.29`. */
  full_version: string | null
  mode: PhpMode | null
  /** Bytes that the web server takes of a request's body, however much PHP would; 0: no limit. */
  max_body_bytes: number
  settings: SitePhpSetting[]
  extensions: PhpFacts['extensions']
}

/** What the PHP of sites is, and what it runs with. */
export interface SitePhpService {
  /** 404 unknown domain, 503 the PHP does not start. */
  get(domainId: number): Promise<SitePhp>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'homeBase'>

const USER_INI_BYTES = 64 * 1024
/** PHP looks for `.user.ini` where it speaks CGI's language. */
const READS_USER_INI: readonly PhpMode[] = ['fpm', 'cgi']
/** Not for a directory to say (`PHP_INI_SYSTEM`). */
const isSystems = (name: string): boolean =>
  (name.startsWith('opcache.') && name !== 'opcache.enable') ||
  ['allow_url_fopen', 'max_file_uploads'].includes(name)

export const createSitePhp = ({ store, host, homeBase }: Deps): SitePhpService => {
  /** What the document root's own file says; nothing where there is none, or it cannot be read now. */
  const userIni = async (
    username: string,
    { document_root }: DomainRow,
  ): Promise<ReadonlyMap<string, string>> => {
    try {
      const path = `${document_root}/.user.ini`.slice(`${homeBase}/${username}/`.length)
      const { content, encoding } = await host.files.read({
        username,
        path,
        maxBytes: USER_INI_BYTES,
      })
      return encoding === 'utf8' ? parseUserIni(content) : new Map()
    } catch (error) {
      if (isAppError(error)) return new Map()
      throw error
    }
  }

  return {
    async get(domainId) {
      const domain = await store.domainById(domainId)
      if (domain === null) throw notFound(DOMAIN_NOT_FOUND)
      const account = await requireAccount(store, domain.account_id)
      const { php: phpPort } = host.of(account.host_id)
      const [versions, settings] = await Promise.all([
        phpPort.versions(),
        store.siteSettings(domainId),
      ])
      const chosen = domain.php_version
      const php = effectivePhp(
        chosen === null ? account : { ...account, php_version: chosen },
        versions,
      )
      if (php === null)
        return {
          ...{ version: null, full_version: null, mode: null },
          ...{ max_body_bytes: 0, settings: [], extensions: [] },
        }
      const { version, mode } = php
      const [facts, inFile, { memory_limit_mb: memoryMb }] = await Promise.all([
        phpPort.facts({ version, mode }),
        READS_USER_INI.includes(mode) ? userIni(account.username, domain) : new Map(),
        planOf(store, account),
      ])
      const own = settings?.php ?? {}
      const found = (name: string): Pick<SitePhpSetting, 'value' | 'source'> => {
        const ofFile = isSystems(name) ? undefined : inFile.get(name)
        if (ofFile !== undefined) return { value: ofFile, source: '.user.ini' }
        const value = own[name] ?? facts.ini[name] ?? ''
        const most = memoryMb * 2 ** 20
        if (name === 'memory_limit' && (phpSizeBytes(value) ?? Infinity) > most)
          return { value: `${memoryMb}M`, source: 'plan' }
        if (own[name] !== undefined) return { value, source: 'domain' }
        return { value, source: facts.server.includes(name) ? 'server' : 'php.ini' }
      }
      const known = Object.entries(SITE_PHP_RULES).filter(
        ([name]) => name in facts.ini || name in own,
      )
      return {
        version,
        full_version: facts.version,
        mode,
        max_body_bytes: facts.maxBodyBytes,
        settings: known.map(([name, rule]) => {
          const said = found(name)
          // php.ini says "off" with nothing at all.
          const value = rule.kind === 'switch' && said.value === '' ? '0' : said.value
          return { name, value, source: said.source, own: own[name] ?? null, rule }
        }),
        extensions: facts.extensions,
      }
    },
  }
}
