import { tmpdir } from 'node:os'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { phpSizeBytes } from '#handlers/domain/php/site-php-rules.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { PhpCall, PhpOrigin } from '#handlers/sites/origins/php-origin.ts'
import { createBackendLeases, PROTOCOLS, RETRY_WAITS_MS } from './backend-leases.ts'
import type { Lease } from './backend-leases.ts'
import { exchange } from './exchange.ts'
import { pause } from './pause.ts'
import type { PhpOriginDeps } from './php-origin-deps.ts'
import { countBody } from './request-body.ts'
import type { CountedBody } from './request-body.ts'
import { createSpoolBudget } from './spool-budget.ts'
import { StaleConnection } from './stale-connection.ts'

/** Methods that may be sent again when a connection broke before a response (RFC 9110, 9.2.2). */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Bytes of a request's body: the server's limit (0: none), or a smaller one that the site chose for its PHP. */
const bodyLimit = ({ php }: VirtualHostConfig, serverBytes: number): number => {
  const own = phpSizeBytes(php.pool?.ini['post_max_size'] ?? '') ?? 0
  if (own === 0 || serverBytes === 0) return own || serverBytes
  return Math.min(own, serverBytes)
}

/** PHP over FastCGI or LSAPI on unix sockets, one pool of connections per backend. */
export const createPhpOrigin = (deps: PhpOriginDeps): PhpOrigin => {
  const { log, requestTimeoutMs: timeoutMs } = deps
  const writeError =
    deps.writeError ??
    ((domain: string, message: string) => log.warn('PHP wrote an error', { domain, message }))
  const leases = createBackendLeases(deps)
  const budget = createSpoolBudget({
    totalBytes: deps.spoolBytes ?? 512 * 2 ** 20,
    perSiteBytes: deps.spoolBytesPerSite ?? 128 * 2 ** 20,
  })

  const encodeHead = (
    request: Request,
    call: PhpCall,
    body: CountedBody | null,
    { pool, backend, connection }: Lease,
  ): Buffer => {
    try {
      return PROTOCOLS[backend.protocol ?? 'fastcgi'].encode(request, call, body?.sizeBytes ?? null)
    } catch (error) {
      pool.release(connection)
      throw error
    }
  }

  const send = async (
    request: Request,
    call: PhpCall,
    body: CountedBody | null,
    fresh: boolean,
  ): Promise<Response> =>
    sendOver(await leases.reach(call, { fresh, signal: request.signal }), request, call, body)

  const sendOver = (
    lent: Lease,
    request: Request,
    call: PhpCall,
    body: CountedBody | null,
    again?: (error: StaleConnection) => Promise<Response>,
  ): Promise<Response> => {
    const { method, signal } = request
    const { pool, connection } = lent
    return exchange(connection, {
      method,
      head: encodeHead(request, call, body, lent),
      body,
      timeoutMs,
      signal,
      writeError,
      domain: call.vhost.domain,
      streaming: call.streaming,
      ...(call.context.turn ? { turn: call.context.turn } : {}),
      ...(again === undefined ? {} : { again }),
      release: () => {
        pool.release(connection)
        body?.dispose().catch(() => undefined)
      },
    })
  }

  const repeat = async (request: Request, call: PhpCall): Promise<Response> => {
    for (let attempt = 0; ; attempt++) {
      await pause(RETRY_WAITS_MS[attempt])
      try {
        return await send(request, call, null, true)
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error
        if (attempt === RETRY_WAITS_MS.length - 1)
          throw new OriginError(502, 'PHP broke off before it answered, again and again', error)
        leases.forget(call)
      }
    }
  }

  /** Sends again what a connection that was gone did not carry; rejects with other errors. */
  const afterStale = async (error: unknown, request: Request, call: PhpCall): Promise<Response> => {
    if (!(error instanceof StaleConnection)) throw error
    leases.forget(call)
    return repeat(request, call)
  }

  const runWithoutBody = async (request: Request, call: PhpCall): Promise<Response> => {
    try {
      return await send(request, call, null, false)
    } catch (error) {
      return afterStale(error, request, call)
    }
  }

  const runWithBody = async (
    request: Request,
    call: PhpCall,
    isSafe: boolean,
  ): Promise<Response> => {
    const body = await countBody(request, {
      memoryBytes: deps.bodyMemoryBytes ?? 2 ** 20,
      maxBytes: bodyLimit(call.vhost, deps.maxBodyBytes ?? 0),
      temporaryDirectory: deps.temporaryDirectory ?? tmpdir(),
      budget,
      site: call.vhost.domain,
    })
    const repeatable = body === null && isSafe
    try {
      return await send(request, call, body, !repeatable)
    } catch (error) {
      await body?.dispose()
      if (!repeatable && error instanceof StaleConnection)
        throw new OriginError(502, 'PHP broke off before it answered', error)
      return afterStale(error, request, call)
    }
  }

  return {
    run(request, call) {
      const isSafe = REPEATABLE.has(request.method)
      if (!isSafe || request.body !== null || request.headers.has('content-length'))
        return runWithBody(request, call, isSafe)
      try {
        const lent = request.signal.aborted ? null : leases.atHand(call)
        if (lent === null) return runWithoutBody(request, call)
        return sendOver(lent, request, call, null, (error) => afterStale(error, request, call))
      } catch (error) {
        return afterStale(error, request, call)
      }
    },
  }
}
