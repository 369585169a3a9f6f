import { createClient, createCluster, RESP_TYPES } from '@redis/client'
import type { RedisDriver } from '#edge-cache/index.ts'
import type { RedisAddress } from '#handlers/domain/config/redis-url.ts'

/** A connection that comes back by itself. */
export interface RedisConnection extends RedisDriver {
  /** Calls `listener` for each message, again after a reconnection; `onReady` each time it (again) listens. */
  subscribe(channel: string, listener: (message: string) => void, onReady: () => void): void
  close(): void
}

/** Commands that are not answered by then are given up: sites do not wait for Redis. */
const COMMAND_MS = 100
/** The same for the few commands with long replies. */
const PATIENT_MS = 5000
const CONNECT_MS = 2000
/** Longest pause between two attempts to connect. */
const RETRY_MS = 500
/** A cluster that cannot be entered is tried again after this. */
const REENTER_MS = 1000
/** Commands that may wait for their answer. */
const MAX_WAITING = 10_000

const toArguments = (command: readonly (string | Uint8Array)[]): (string | Buffer)[] =>
  command.map((part) =>
    typeof part === 'string' ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength),
  )
const AS_BYTES = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } } as const

/** The client's own limit does not reach commands that were already sent. */
const inTime = async <T>(work: Promise<T>, patient = false): Promise<T> => {
  const limitMs = patient ? PATIENT_MS : COMMAND_MS
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(new Error(`Redis did not answer in ${limitMs} ms.`))
    // Answers that came while this process was busy are read first.
    timer = setTimeout(() => setImmediate(giveUp), limitMs)
  })
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const reconnectStrategy = (retries: number): number =>
  Math.min(25 * 2 ** Math.min(retries, 10), RETRY_MS) + Math.floor(Math.random() * 25)

/** Client options of an address; `node` is one of its servers. */
export const clientOptions = (
  address: RedisAddress,
  node: { host: string; port: number } | undefined,
) => {
  const limits = { connectTimeout: CONNECT_MS, reconnectStrategy }
  const server = node ?? { host: '127.0.0.1', port: 6379 }
  const socket =
    address.socketPath !== null
      ? { ...limits, path: address.socketPath, tls: false as const }
      : address.tls
        ? { ...limits, ...server, tls: true as const }
        : { ...limits, ...server }
  return {
    RESP: 2,
    socket,
    ...(address.username === null ? {} : { username: address.username }),
    ...(address.password === null ? {} : { password: address.password }),
    database: address.database,
    disableOfflineQueue: true,
    disableClientInfo: true,
    commandsQueueMaxLength: MAX_WAITING,
    maintNotifications: 'disabled',
  } satisfies Parameters<typeof createClient>[0]
}

/** Errors are told to whoever sends; a connection that comes and goes is no news here. */
const quiet = (): void => undefined

const openSingle = (address: RedisAddress): RedisConnection => {
  const options = clientOptions(address, address.nodes[0])
  const client = createClient(options)
  client.on('error', quiet)
  client.connect().catch(quiet)
  const closers = [() => client.destroy()]
  return {
    send: (_key, command, more) =>
      inTime(client.sendCommand(toArguments(command), AS_BYTES), more?.patient),
    subscribe(channel, listener, onReady) {
      const subscriber = createClient({ ...options, disableOfflineQueue: false })
      subscriber.on('error', quiet)
      // The client subscribes anew before it calls itself ready again.
      subscriber.on('ready', onReady)
      subscriber.connect().catch(quiet)
      subscriber.subscribe(channel, listener).then(onReady, quiet)
      closers.push(() => subscriber.destroy())
    },
    close: () => {
      for (const close of closers.splice(0)) close()
    },
  }
}

const openCluster = (address: RedisAddress): RedisConnection => {
  const limits = { connectTimeout: CONNECT_MS, reconnectStrategy }
  const options = {
    RESP: 2 as const,
    rootNodes: address.nodes.map(({ host, port }) => ({ socket: { host, port } })),
    defaults: {
      ...(address.username === null ? {} : { username: address.username }),
      ...(address.password === null ? {} : { password: address.password }),
      socket: address.tls ? { ...limits, tls: true as const } : limits,
      disableOfflineQueue: true,
      disableClientInfo: true,
      commandsQueueMaxLength: MAX_WAITING,
      maintNotifications: 'disabled' as const,
    },
  }
  const create = () => createCluster(options)
  let cluster: ReturnType<typeof create> | null = null
  let closed = false
  let subscription: Parameters<RedisConnection['subscribe']> | null = null
  const listen = async (entered: ReturnType<typeof create>): Promise<void> => {
    if (subscription === null) return
    const [channel, listener, onReady] = subscription
    await entered.subscribe(channel, listener)
    onReady()
  }
  const enter = async (): Promise<void> => {
    const entering = create()
    entering.on('error', quiet)
    try {
      await entering.connect()
      if (closed) return entering.destroy()
      cluster = entering
      await listen(entering)
    } catch {
      cluster = null
      try {
        entering.destroy()
      } catch {
        // It was never open.
      }
      if (!closed) setTimeout(() => void enter(), REENTER_MS).unref()
    }
  }
  void enter()
  return {
    async send(key, command, more) {
      if (cluster === null) throw new Error('The Redis cluster cannot be reached.')
      const sending = cluster.sendCommand(key, false, toArguments(command), AS_BYTES)
      return inTime(sending, more?.patient)
    },
    subscribe(channel, listener, onReady) {
      subscription = [channel, listener, onReady]
      if (cluster !== null) listen(cluster).catch(quiet)
    },
    close: () => {
      closed = true
      cluster?.destroy()
      cluster = null
    },
  }
}

/** Connects in the background; commands reject while there is no connection. */
export const openRedis = (address: RedisAddress): RedisConnection =>
  address.kind === 'cluster' ? openCluster(address) : openSingle(address)
