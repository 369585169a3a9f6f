import { chmodSync, lchownSync, rmSync } from 'node:fs'
import { createBoundHandle, ListenError } from './bind-listener.ts'

/**
 * Binds a unix socket for a child to listen on, with the owner, group and mode
 * that decide who may connect. A socket left by an earlier run is removed first,
 * so the caller must hold the directory's lock, and the directory must be its own.
 */
export const bindControlSocket = (
  path: string,
  owner: { uid: number; gid: number } | null,
  mode = 0o660,
): { fd: number; close(): void } => {
  rmSync(path, { force: true })
  const handle = createBoundHandle(path, -1, -1)
  if (typeof handle === 'string')
    throw new ListenError(path, handle, `The socket ${path} cannot be made: ${handle}.`)
  chmodSync(path, mode)
  if (owner !== null) lchownSync(path, owner.uid, owner.gid)
  return { fd: handle.fd, close: () => handle.close() }
}
