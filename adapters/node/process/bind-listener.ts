import net from 'node:net'
import { getSystemErrorName } from 'node:util'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { describePortHolder } from './ports/port-holder.ts'

/** A bound socket that this process never accepts on; children inherit `fd` and listen on it. */
export interface BoundListener {
  fd: number
  /** As configured, with the real port where 0 was asked for. */
  address: string
  port: number
  close(): void
}

/** An address could not be bound. The message says what, why and how to fix it. */
export class ListenError extends Error {
  readonly code: string
  readonly address: string
  constructor(address: string, code: string, message: string) {
    super(message)
    this.name = 'ListenError'
    this.code = code
    this.address = address
  }
}

interface BoundHandle {
  fd: number
  getsockname(out: { port?: number }): number
  close(): void
}
type CreateServerHandle = (
  address: string,
  port: number,
  addressType: number,
  fd?: number,
  flags?: number,
) => BoundHandle | number

/** libuv's UV_TCP_IPV6ONLY: `[::]` must not take the IPv4 port as well. */
const IPV6_ONLY = 1

/**
 * Node's own way from an address to a bound handle. `net.Server` would accept
 * connections in this process, and those would hang; there is no public call
 * that only binds.
 */
const createServerHandle: unknown = Reflect.get(net, '_createServerHandle')
const isCreateServerHandle = (value: unknown): value is CreateServerHandle =>
  typeof value === 'function'

const explain = (address: string, port: number, code: string): string => {
  switch (code) {
    case 'EADDRINUSE': {
      const holder = describePortHolder(port)
      return holder === null
        ? `Port ${port} (${address}) is in use. Stop the program that holds it, or choose another address in the configuration.`
        : `Port ${port} (${address}) is held by ${holder}. Stop it, or choose another address in the configuration.`
    }
    case 'EACCES':
      return `Port ${port} (${address}) needs root. Start as root, or choose a port above 1023 in the configuration.`
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return `${address} is not an address of this machine. Remove it from the configuration or give the machine that address.`
    default:
      return `${address} cannot be opened: ${code}.`
  }
}

/** The handle that Node's internal call gives, or its error code by name. */
export const createBoundHandle = (
  address: string,
  port: number,
  addressType: number,
  flags?: number,
): BoundHandle | string => {
  if (!isCreateServerHandle(createServerHandle))
    throw new Error('This Node has no net._createServerHandle. Use the pinned one in node_modules.')
  const handle = createServerHandle(address, port, addressType, undefined, flags)
  return typeof handle === 'number' ? getSystemErrorName(handle) : handle
}

/** Binds one `listen` entry of the configuration. Throws `ListenError`. */
export const bindListener = (address: string): BoundListener => {
  const parsed = parseListenAddress(address)
  if (parsed === null)
    throw new ListenError(address, 'EINVAL', `"${address}" is not an address with a port.`)
  const { host, port, family } = parsed
  const handle = createBoundHandle(host, port, family, family === 6 ? IPV6_ONLY : undefined)
  if (typeof handle === 'string')
    throw new ListenError(address, handle, explain(address, port, handle))
  // libuv keeps "address in use" back until the socket is used for the first time.
  const name: { port?: number } = {}
  const failed = handle.getsockname(name)
  if (failed !== 0) {
    handle.close()
    const code = getSystemErrorName(failed)
    throw new ListenError(address, code, explain(address, port, code))
  }
  const real = name.port ?? port
  return {
    fd: handle.fd,
    address: `${family === 6 ? `[${host}]` : host}:${real}`,
    port: real,
    close: () => handle.close(),
  }
}
