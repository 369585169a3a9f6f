import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { normalizeTarget } from '#handlers/sites/paths/request-path.ts'
import { portInKey } from '#handlers/sites/names/shown-host.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import type { WorkerCache } from './cache/worker-cache.ts'
import { existsFairly } from './files/open-fairly.ts'
import { createFileWay } from './http1/fast/file-path.ts'
import { HotAnswers } from './http1/fast/fast-answers.ts'
import { createHotWay } from './http1/fast/fast-path.ts'
import type { Http1Engine, Http1EngineOptions } from './http1/http1-engine.ts'
import { createNothingWay } from './http1/fast/missing-paths.ts'
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
  parts: Pick<Http1EngineOptions, 'site' | 'clock' | 'cpu' | 'accessLog' | 'log' | 'tunnels'> & {
    hosts(): VirtualHostTable
    sites: Pick<SiteKnowledge, 'learnedAt' | 'hotEditionOf' | 'isUnruled'>
    /** Null: the page cache is off. */
    cache: Pick<WorkerCache, 'pageCache' | 'memoryBytes'> | null
  },
): Promise<Http1Engine> => {
  const { sites, cache, ...services } = parts
  const { hosts, clock } = services
  const pageCache = cache?.pageCache ?? null
  return createSiteEngine({
    ...services,
    normalizePath: (raw) => normalizeTarget(raw)?.path ?? null,
    hot: createHotWay({
      hosts,
      cache: pageCache,
      mobileVariant: config.cache.mobile_variant,
      portInKey,
      learnedAt: sites.learnedAt,
      editionOf: sites.hotEditionOf,
    }),
    answers: new HotAnswers(
      clock,
      Math.max(PREBUILT_BYTES, (cache?.memoryBytes ?? 0) / PREBUILT_SHARE),
    ),
    files: createFileWay({
      hosts,
      cache: pageCache,
      editionOf: sites.hotEditionOf,
      ignoreQueryParams: config.cache.ignore_query_params,
      learnedAt: sites.learnedAt,
      clock,
      limitBytes: REMEMBERED_FILES_BYTES,
    }),
    nothing: createNothingWay({
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
