import { chmodSync, chownSync, renameSync, rmSync } from 'node:fs'
import net from 'node:net'
import { getSystemErrorName } from 'node:util'

/** What Node's pipe handle offers; `net` has no public way to bind without accepting. */
interface PipeHandle {
  readonly fd: number
  listen(backlog: number): number
  /** On a listening socket this sets or clears O_NONBLOCK, nothing else. */
  setBlocking(blocking: boolean): number
  close(): void
}

type CreateServerHandle = (path: string, port: -1, addressType: -1) => PipeHandle | number

const createServerHandle = (net as unknown as { _createServerHandle: CreateServerHandle })
  ._createServerHandle

/** Owner and permissions of the socket file; null owner leaves it to the current user. */
export interface SocketAccess {
  owner: { uid: number; gid: number } | null
  mode: number
}

const check = (what: string, code: number): void => {
  if (code !== 0) throw new Error(`${what}: ${getSystemErrorName(code)}`)
}

/** The name under which the socket at `path` is bound before it is renamed. */
export const boundPath = (path: string): string => {
  const name = path.lastIndexOf('/') + 1
  return `${path.slice(0, name)}.${path.slice(name)}`
}

/**
 * Binds and listens on a unix socket at `path`, replacing what lies there in one
 * step, and lends the descriptor to `use`, which starts the process that will
 * accept. Everything happens in one turn of the event loop, so this process
 * itself never accepts a connection.
 *
 * The socket is bound under a temporary name, because libuv unlinks that name
 * when the handle closes. The descriptor is made blocking (libuv's are not, and
 * the flag belongs to the shared description): an FPM child ends when its
 * `accept` would block.
 */
export const lendListeningSocket = <T>(
  path: string,
  access: SocketAccess,
  use: (fd: number) => T,
): T => {
  const temporary = boundPath(path)
  rmSync(temporary, { force: true })
  const handle = createServerHandle(temporary, -1, -1)
  if (typeof handle === 'number')
    throw new Error(`cannot bind ${temporary}: ${getSystemErrorName(handle)}`)
  try {
    chmodSync(temporary, access.mode)
    if (access.owner) chownSync(temporary, access.owner.uid, access.owner.gid)
    check(`listen on ${path}`, handle.listen(511))
    check(`prepare ${path}`, handle.setBlocking(true))
    renameSync(temporary, path)
    return use(handle.fd)
  } finally {
    handle.close()
  }
}
