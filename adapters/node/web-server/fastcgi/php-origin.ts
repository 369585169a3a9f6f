import { tmpdir } from 'node:os'
import type { VirtualHostConfig } from '#handlers/domain/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { OriginError } from '#handlers/sites/php-origin.ts'
import type { PhpCall, PhpOrigin } from '#handlers/sites/php-origin.ts'
import { LsapiConnection } from '../lsapi/connection.ts'
import { encodeRequest } from '../lsapi/request-packet.ts'
import { createBackends } from './backends.ts'
import type { BackendQuestion, EnsurePhp, PhpBackend } from './backends.ts'
import type { BackendConnection } from './backend-connection.ts'
import { createConnectionPool } from './connection-pool.ts'
import type { AcquireOptions, ConnectionPool } from './connection-pool.ts'
import { FastcgiConnection } from './connection.ts'
import type { WritePhpError } from './error-output.ts'
import { exchange, StaleConnection } from './exchange.ts'
import { encodeParams } from './params.ts'
import { countBody } from './request-body.ts'
import type { CountedBody } from './request-body.ts'
import { createSpoolBudget } from './spool-budget.ts'

export interface PhpOriginDeps {
  /** Makes sure that PHP runs for a domain; rejects when it cannot. */
  ensure: EnsurePhp
  log: Log
  /** Takes what scripts write to their standard error; default: `log`. */
  writeError?: WritePhpError
  /** Without a byte from PHP for this long, a request fails with 504. */
  requestTimeoutMs: number
  /** Of this process; over all workers there should not be more than PHP has children. */
  maxConnectionsPerBackend: number
  /** The same for a virtual host with settings of its own; default: as for all. */
  maxConnectionsOf?: (vhost: VirtualHostConfig) => number
  /** Bytes; 0: no limit. Default 0. */
  maxBodyBytes?: number
  /** Up to this a request body is held in memory; default 1 MiB. */
  bodyMemoryBytes?: number
  /** Default: the system's. */
  temporaryDirectory?: string
  /** What bodies there may take in all, in this process; default 512 MiB. */
  spoolBytes?: number
  /** And for one site; default 128 MiB. */
  spoolBytesPerSite?: number
  /** How long a request waits for a connection; default 30 s. */
  queueTimeoutMs?: number
  /** How long a free connection is kept; default 5 ms, since it occupies a PHP process. */
  idleMs?: number
}

const MAX_WAITING = 2000
const IDLE_MS = 5
/** The queue of connections that PHP has not accepted yet is full for a moment. */
const BUSY_RETRIES = 5
const BUSY_WAIT_MS = 20
/** Methods that may be sent again when a connection broke before an answer (RFC 9110, 9.2.2). */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS'])

const PROTOCOLS = {
  fastcgi: { connect: (path: string) => FastcgiConnection.connect(path), encode: encodeParams },
  lsapi: { connect: (path: string) => LsapiConnection.connect(path), encode: encodeRequest },
}

/** A connection and where it goes back to. */
interface Lease {
  pool: ConnectionPool
  connection: BackendConnection
  backend: PhpBackend
}

/** Before each further try: a killed process still listens until the kernel has taken it apart. */
const RETRY_WAITS_MS = [20, 250]

const pause = (ms = BUSY_WAIT_MS): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Whether PHP would run as another user than the site belongs to. */
const isForeign = ({ uid }: VirtualHostConfig, backend: PhpBackend): boolean =>
  backend.uid !== null && uid !== null && backend.uid !== uid

/** PHP over FastCGI or LSAPI on unix sockets, one pool of connections per backend. */
export const createPhpOrigin = (deps: PhpOriginDeps): PhpOrigin => {
  const { log, requestTimeoutMs: timeoutMs } = deps
  const writeError =
    deps.writeError ??
    ((domain: string, message: string) => log.warn('PHP wrote an error', { domain, message }))
  const backends = createBackends(deps.ensure)
  const budget = createSpoolBudget({
    totalBytes: deps.spoolBytes ?? 512 * 2 ** 20,
    perSiteBytes: deps.spoolBytesPerSite ?? 128 * 2 ** 20,
  })
  const pools = new Map<string, ConnectionPool>()

  const poolOf = (vhost: VirtualHostConfig, backend: PhpBackend): ConnectionPool => {
    const { socket, protocol = 'fastcgi' } = backend
    const key = protocol === 'fastcgi' ? socket : `${protocol}:${socket}`
    const known = pools.get(key)
    if (known) return known
    const pool = createConnectionPool({
      connect: () => PROTOCOLS[protocol].connect(socket),
      maxConnections: deps.maxConnectionsOf?.(vhost) ?? deps.maxConnectionsPerBackend,
      queueTimeoutMs: deps.queueTimeoutMs ?? 30_000,
      maxWaiting: MAX_WAITING,
      idleMs: deps.idleMs ?? IDLE_MS,
      onEmpty: () => {
        if (pools.get(key) === pool) pools.delete(key)
      },
    })
    pools.set(key, pool)
    return pool
  }

  const backendOf = async (
    vhost: VirtualHostConfig,
    question: BackendQuestion,
  ): Promise<PhpBackend> => {
    let backend: PhpBackend
    try {
      backend = await backends.get(question)
    } catch (error) {
      throw new OriginError(503, 'PHP could not be started', error)
    }
    if (isForeign(vhost, backend)) {
      backends.forget(question)
      throw new OriginError(503, `PHP runs as ${backend.uid}, the site belongs to ${vhost.uid}`)
    }
    return backend
  }

  const lease = async (
    vhost: VirtualHostConfig,
    backend: PhpBackend,
    options: AcquireOptions,
  ): Promise<Lease> => {
    for (let attempt = 0; ; attempt++) {
      const pool = poolOf(vhost, backend)
      try {
        return { pool, backend, connection: await pool.acquire(options) }
      } catch (error) {
        if (codeOf(error) !== 'EAGAIN' || attempt === BUSY_RETRIES) throw error
        await pause()
      }
    }
  }

  const settings = new WeakMap<VirtualHostConfig, string>()
  const settingsOf = (vhost: VirtualHostConfig): string => {
    const known = settings.get(vhost) ?? JSON.stringify(vhost.php)
    settings.set(vhost, known)
    return known
  }
  const questionOf = ({ vhost, ini }: PhpCall): BackendQuestion => ({
    domain: vhost.domain,
    settings: settingsOf(vhost),
    ini,
  })

  /** A connection to the virtual host's backend; one that has gone is started again. */
  const reach = async (call: PhpCall, options: AcquireOptions): Promise<Lease> => {
    const { vhost } = call
    const question = questionOf(call)
    for (let attempt = 0; ; attempt++) {
      const backend = await backendOf(vhost, question)
      try {
        return await lease(vhost, backend, options)
      } catch (error) {
        if (error instanceof OriginError) throw error
        backends.forget(question)
        const waitMs = RETRY_WAITS_MS[attempt]
        if (waitMs === undefined) throw new OriginError(503, 'PHP cannot be reached', error)
        await pause(waitMs)
      }
    }
  }

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

  /** The connection that `reach` would give, where nothing has to be waited for. */
  const atHand = (call: PhpCall): Lease | null => {
    const { vhost } = call
    const backend = backends.get(questionOf(call))
    if (backend instanceof Promise || isForeign(vhost, backend)) return null
    const pool = poolOf(vhost, backend)
    const connection = pool.takeFree()
    return connection && { pool, backend, connection }
  }

  const send = async (
    request: Request,
    call: PhpCall,
    body: CountedBody | null,
    fresh: boolean,
  ): Promise<Response> =>
    sendOver(await reach(call, { fresh, signal: request.signal }), request, call, body)

  const sendOver = (
    lent: Lease,
    request: Request,
    call: PhpCall,
    body: CountedBody | null,
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
        backends.forget(questionOf(call))
      }
    }
  }

  /** Sends again what a connection that was gone did not carry; rethrows other errors. */
  const afterStale = (error: unknown, request: Request, call: PhpCall): Promise<Response> => {
    if (!(error instanceof StaleConnection)) throw error
    // Whoever answered there may have been killed, and only the agent can tell.
    backends.forget(questionOf(call))
    return repeat(request, call)
  }

  return {
    async run(request, call) {
      const isSafe = REPEATABLE.has(request.method)
      if (isSafe && request.body === null && !request.headers.has('content-length')) {
        try {
          const lent = request.signal.aborted ? null : atHand(call)
          if (lent !== null) return await sendOver(lent, request, call, null)
          return await send(request, call, null, false)
        } catch (error) {
          return afterStale(error, request, call)
        }
      }
      const body = await countBody(request, {
        memoryBytes: deps.bodyMemoryBytes ?? 2 ** 20,
        maxBytes: deps.maxBodyBytes ?? 0,
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
    },
  }
}
