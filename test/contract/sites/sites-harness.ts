import type { PageCache } from '#edge-cache/index.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { PhpOrigin } from '#handlers/sites/origins/php-origin.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'
import type { SiteFiles } from '#handlers/sites/site-files.ts'
import { createSiteRules } from '#handlers/sites/htaccess/files/site-rules.ts'
import type { RuleFiles } from '#handlers/sites/rule-files.ts'
import { RequestMeter } from '#handlers/sites/guard/request-meter.ts'
import { StoredNames } from '#handlers/sites/page-cache/stored-names.ts'
import { createSiteHandler } from '#handlers/sites/site-handler.ts'
import type { PurgeSite } from '#handlers/sites/page-cache/site-purges.ts'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { virtualHost } from '#test/support/setups/virtual-hosts.ts'

/** A virtual host with defaults; `a.test` and `www.a.test`. */
export const vhostOf = (changes: Partial<VirtualHostConfig> = {}): VirtualHostConfig =>
  virtualHost('a.test', {
    aliases: ['www.a.test'],
    root: '/srv/a/public_html',
    index: ['index.php', 'index.html'],
    username: 'a',
    home: '/srv/a',
    htaccess: true,
    ...changes,
  })

export interface Ask {
  method?: string
  /** `null`: no Host at all. */
  host?: string | null
  headers?: HeadersInit
  body?: BodyInit
  context?: Partial<SiteContext>
  signal?: AbortSignal
}

/** Asks the way a listener does: the target as received, facts of the connection beside the request. */
export type Visit = (target: string, ask?: Ask) => Promise<Response>

export interface Site {
  visit: Visit
  /** Everything logged. */
  logged: { level: string; message: string; fields?: Record<string, unknown> | undefined }[]
}

/** Files below the document root; `null` is a directory. Modification time: 2026-01-02 03:04:05 UTC. */
export type Tree = Record<string, string | Uint8Array | null>

export const TREE_MTIME = new Date('2026-01-02T03:04:05Z')

/**
 * Makes a site of the tree whose PHP answers with JSON of
 * `{script, pathInfo, uri, query, method}` for every script.
 */
export type MakeSite = (tree: Tree, changes?: Partial<VirtualHostConfig>) => Promise<Site>

export const createSite = (deps: {
  vhosts: VirtualHostConfig[]
  files: SiteFiles
  php: (log: Log) => PhpOrigin
  cache?: PageCache | null
  /** Default: sites have no rules of their own. */
  ruleFiles?: RuleFiles
  /** Default: a site's own word purges nothing. */
  purgeSite?: PurgeSite
}): Site => {
  const logged: Site['logged'] = []
  const note =
    (level: string): Log['info'] =>
    (message, fields) =>
      void logged.push({ level, message, fields })
  const log: Log = { info: note('info'), warn: note('warn'), error: note('error') }
  const table = createVirtualHostTable(deps.vhosts)
  const { ruleFiles } = deps
  const handler = createSiteHandler({
    hosts: () => table,
    files: deps.files,
    php: deps.php(log),
    cache: deps.cache ?? null,
    meter: new RequestMeter(),
    storedNames: new StoredNames(() => performance.now()),
    log,
    ...(ruleFiles ? { verifyPassword: ruleFiles.verifyPassword } : {}),
    ...(deps.purgeSite ? { purgeSite: deps.purgeSite } : {}),
    ...(ruleFiles
      ? { rules: createSiteRules({ files: deps.files, ruleFiles, log, nowMs: () => Date.now() }) }
      : {}),
  })
  const visit: Visit = (target, ask = {}) => {
    const headers = new Headers(ask.headers)
    const host = ask.host === undefined ? 'a.test' : ask.host
    if (host !== null) headers.set('host', host)
    const init: RequestInit & { duplex?: 'half' } = {
      method: ask.method ?? 'GET',
      headers,
      ...(ask.body === undefined ? {} : { body: ask.body, duplex: 'half' }),
      ...(ask.signal ? { signal: ask.signal } : {}),
    }
    const url = `http://a.test${target}`
    return handler(new Request(URL.canParse(url) ? url : 'http://a.test/', init), {
      clientAddress: '192.0.2.7',
      clientPort: 50_000,
      serverAddress: '192.0.2.1',
      serverPort: 80,
      secure: false,
      protocol: 'HTTP/1.1',
      rawTarget: target,
      ...ask.context,
    })
  }
  return { visit, logged }
}
