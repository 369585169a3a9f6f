import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { normalizeTarget } from '#handlers/sites/paths/request-path.ts'
import type { StoredNames } from '#handlers/sites/page-cache/stored-names.ts'
import { portInKey } from '#handlers/sites/names/shown-host.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import type { WorkerCache } from './cache/worker-cache.ts'
import { existsFairly } from './files/open-fairly.ts'
import { createFileFastPath } from './http1/fast/file-fast-path.ts'
import { FastResponses } from './http1/fast/fast-responses.ts'
import { createFastPath } from './http1/fast/fast-path.ts'
import type { Http1Engine, Http1EngineOptions } from './http1/http1-engine.ts'
import { createMissingFastPath } from './http1/fast/missing-fast-path.ts'
import { createRequestClass } from './http1/head/request-class.ts'
import { createSiteEngine } from './site-engine.ts'
import type { SiteKnowledge } from './workers/site-knowledge.ts'

/** Prebuilt answers may take this part of a worker's memory for pages. */
const PREBUILT_SHARE = 8
const PREBUILT_BYTES = 16 * 2 ** 20
/** Memory of a worker for answers with files of the last second. */
const REMEMBERED_FILES_BYTES = 32 * 2 ** 20

/** The engine of a worker, its fast paths included, with the limits of the configuration. */
export const createWorkerEngine = (
  config: ServerConfig,
  parts: Pick<
    Http1EngineOptions,
    'site' | 'clock' | 'cpu' | 'accessLog' | 'log' | 'tunnels' | 'limits'
  > & {
    hosts(): VirtualHostTable
    storedNames: StoredNames
    sites: Pick<SiteKnowledge, 'learnedAt' | 'fastEditionOf' | 'isUnruled'>
    /** Null: the page cache is off. */
    cache: Pick<WorkerCache, 'pageCache' | 'memoryBytes'> | null
  },
): Promise<Http1Engine> => {
  const { sites, cache, storedNames, ...services } = parts
  const { hosts, clock } = services
  const pageCache = cache?.pageCache ?? null
  return createSiteEngine({
    ...services,
    normalizePath: (raw) => normalizeTarget(raw)?.path ?? null,
    fast: createFastPath({
      hosts,
      cache: pageCache,
      mobileVariant: config.cache.mobile_variant,
      portInKey,
      learnedAt: sites.learnedAt,
      editionOf: sites.fastEditionOf,
    }),
    answers: new FastResponses(
      clock,
      Math.max(PREBUILT_BYTES, (cache?.memoryBytes ?? 0) / PREBUILT_SHARE),
    ),
    files: createFileFastPath({
      hosts,
      cache: pageCache,
      editionOf: sites.fastEditionOf,
      ignoreQueryParams: config.cache.ignore_query_params,
      learnedAt: sites.learnedAt,
      mayKeep: (host, name) => storedNames.may(host, name),
      clock,
      limitBytes: REMEMBERED_FILES_BYTES,
    }),
    nothing: createMissingFastPath({
      hosts,
      cache: pageCache,
      classOf: createRequestClass({
        isOn: pageCache !== null,
        ignoreQueryParams: config.cache.ignore_query_params,
        learnedAt: sites.learnedAt,
      }),
      isUnruled: sites.isUnruled,
      isThere: existsFairly,
      clock,
    }),
    times: {
      keepAliveMs: config.server.keepalive_timeout * 1000,
      headMs: config.server.header_timeout * 1000,
      stallMs: 60_000,
    },
    requestMs: config.server.request_timeout * 1000,
    maxBodyBytes: config.server.max_body_size,
    maxHeadBytes: config.server.max_header_size,
  })
}
