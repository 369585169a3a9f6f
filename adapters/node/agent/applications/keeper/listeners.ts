import { readFileSync } from 'node:fs'

const CONNECTED = '03'
const LISTENING = '0A'

/** Connections at the unix socket that was bound as `path`, those included that wait to be accepted. */
export const connectionsAt = (path: string): number =>
  readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(` ${path}`) && line.split(/\s+/)[5] === CONNECTED).length

const rows = (file: string): string[][] => {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
  } catch {
    return [] // no IPv6 here
  }
}

/**
 * Whether a TCP port is listened on, and by this user alone: ports belong to nobody, and what
 * another account put there must not get this one's visitors.
 */
export const isOwnPort = (port: number): boolean => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const owners = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    rows(file).flatMap(([, local = '', , state, , , , uid]) =>
      state === LISTENING && local.endsWith(suffix) ? [Number(uid)] : [],
    ),
  )
  return owners.length > 0 && owners.every((uid) => uid === process.geteuid?.())
}
