import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import type { PageTail } from '../responses/incomplete-page.ts'
import type { SiteContext } from '../site-context.ts'

/** One script to run. The caller has judged the script file. */
export interface PhpCall {
  vhost: VirtualHostConfig
  context: SiteContext
  /** Requested host name, one of the virtual host's. */
  host: string
  /** Absolute path of the script. */
  scriptFilename: string
  /** The script's path below the document root, e.g. `/blog/index.php`. */
  scriptName: string
  /** What follows the script's name in the path, e.g. `/a/b`; mostly empty. */
  pathInfo: string
  /** Path and query in their one spelling: what PHP sees is what the page cache's key was made from. */
  requestUri: string
  /** Without `?`; empty when there is none. */
  queryString: string
  /** Status that an error page is made for, as `REDIRECT_STATUS`. Default 200. */
  errorStatus?: number
  /** Whether the page cache stands before the site, and scripts may speak to it. Default false. */
  pageCache?: boolean
  /** How many requests of the site this process had, and how many of them the page cache answered. Default: not told. */
  tally?: { hits: number; requests: number }
  /** Variables that the site's own rules set. Default: none. */
  env?: ReadonlyMap<string, string>
  /** PHP settings of the script's directory, judged and sorted by `directoryIni`. Default: none. */
  ini?: Readonly<Record<string, string>>
  /** Called when the body is a stream, which may end with `IncompletePage`; it records what it passes on. */
  streaming(): PageTail
}

/** Runs PHP scripts. */
export interface PhpOrigin {
  /**
   * Resolves with the response once its head is there. Its body fails when the
   * answer is cut off, and with `IncompletePage` when PHP died after it had
   * begun to answer. Rejects with `OriginError`.
   */
  run(request: Request, call: PhpCall): Promise<Response>
}

/** 400, 413 the request's body; 431 its head; 502 a broken answer; 503 PHP is not there or has no room; 504 it took too long. */
export type OriginStatus = 400 | 413 | 431 | 502 | 503 | 504

/** No answer could be had; `message` is for the log, not for the client. */
export class OriginError extends Error {
  readonly status: OriginStatus
  constructor(status: OriginStatus, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'OriginError'
    this.status = status
  }
}
