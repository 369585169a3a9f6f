import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { PhpCall } from '#handlers/sites/origins/php-origin.ts'
import { LsapiConnection } from './lsapi/connection.ts'
import { encodeRequest } from './lsapi/request-packet.ts'
import type { BackendConnection } from './wire/backend-connection.ts'
import { createBackends } from './backends.ts'
import type { BackendQuestion, PhpBackend } from './backends.ts'
import { createChildWaker, knock } from './child-waker.ts'
import { createConnectionPool } from './connection-pool.ts'
import type { AcquireOptions, ConnectionPool } from './connection-pool.ts'
import { FastcgiConnection } from './fastcgi/connection.ts'
import { encodeParams } from './fastcgi/params.ts'
import { pause } from './pause.ts'
import type { PhpOriginDeps } from './php-origin-deps.ts'

/** A connection and where it goes back to. */
export interface Lease {
  pool: ConnectionPool
  connection: BackendConnection
  backend: PhpBackend
}

/** Connections to the backends of all virtual hosts. */
export interface BackendLeases {
  /**
   * A connection to the virtual host's backend; one that has gone is started again.
   * Rejects with `OriginError` 503.
   */
  reach(call: PhpCall, options: AcquireOptions): Promise<Lease>
  /** The connection that `reach` would give, where nothing has to be waited for. */
  atHand(call: PhpCall): Lease | null
  /** Whoever answered there may have been killed, and only the agent can tell. */
  forget(call: PhpCall): void
}

const MAX_WAITING = 2000
const IDLE_MS = 5
/** The queue of connections that PHP has not accepted yet is full for a moment. */
const BUSY_RETRIES = 5
const BUSY_WAIT_MS = 20

/** Before each further try: a killed process still listens until the kernel has taken it apart. */
export const RETRY_WAITS_MS = [20, 250]

/** Connections and encoders of request heads by protocol. */
export const PROTOCOLS = {
  fastcgi: { connect: (path: string) => FastcgiConnection.connect(path), encode: encodeParams },
  lsapi: { connect: (path: string) => LsapiConnection.connect(path), encode: encodeRequest },
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Whether PHP would run as another user than the site belongs to. */
const isForeign = ({ uid }: VirtualHostConfig, backend: PhpBackend): boolean =>
  backend.uid !== null && uid !== null && backend.uid !== uid

/** One pool of connections per backend, whichever virtual hosts it serves. */
export const createBackendLeases = (deps: PhpOriginDeps): BackendLeases => {
  const backends = createBackends(deps.ensure)
  const pools = new Map<string, ConnectionPool>()

  const poolOf = (vhost: VirtualHostConfig, backend: PhpBackend): ConnectionPool => {
    const { socket, protocol = 'fastcgi' } = backend
    const key = protocol === 'fastcgi' ? socket : `${protocol}:${socket}`
    const known = pools.get(key)
    if (known) return known
    const max = deps.maxConnectionsPerBackend
    const { limit, share } = deps.boundsOf?.(vhost) ?? { limit: max, share: max }
    const waker = protocol === 'fastcgi' ? createChildWaker(() => knock(socket)) : null
    const pool = createConnectionPool({
      connect: () => PROTOCOLS[protocol].connect(socket),
      maxConnections: limit,
      share,
      onConnected: (connection) => waker?.watch(connection),
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
        await pause(BUSY_WAIT_MS)
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

  return {
    async reach(call, options) {
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
    },

    atHand(call) {
      const { vhost } = call
      const backend = backends.get(questionOf(call))
      if (backend instanceof Promise || isForeign(vhost, backend)) return null
      const pool = poolOf(vhost, backend)
      const connection = pool.takeFree()
      return connection && { pool, backend, connection }
    },

    forget: (call) => backends.forget(questionOf(call)),
  }
}
