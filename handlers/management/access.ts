import { invalid, unauthenticated, type AppError } from '../errors.ts'

const encoder = new TextEncoder()

/** Compares without telling by time how much was right; only the lengths show. */
export const sameText = (left: string, right: string): boolean => {
  const a = encoder.encode(left)
  const b = encoder.encode(right)
  let difference = a.byteLength ^ b.byteLength
  for (let i = 0; i < a.byteLength; i++) {
    difference |= (a[i] ?? 0) ^ (b[i % Math.max(1, b.byteLength)] ?? 0)
  }
  return difference === 0
}

/** Whether `Authorization: Bearer <token>` carries the token. */
export const carriesToken = (request: Request, token: string): boolean => {
  const given = /^Bearer +([^\s]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  return given !== undefined && sameText(given, token)
}

/** For who asks without the token; `place` says where it is. */
export const tokenRequired = (
  place = 'The token is in the file management.token of the run directory.',
): AppError => unauthenticated(`Authorization: Bearer <token> is required. ${place}`)

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname === '[::1]' ||
  /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)

/**
 * 400 for a request under a foreign name: a page in a browser on this host could
 * otherwise reach the API by letting its own name point here (DNS rebinding).
 * `allowed` are further names or addresses the listener has.
 */
export const requireOwnHost = (request: Request, allowed: readonly string[]): void => {
  const given = request.headers.get('host') ?? new URL(request.url).host
  let hostname = ''
  try {
    // A host and nothing else: what a URL would read as credentials or a path is refused.
    if (!/[/\\?#@\s,]/.test(given)) hostname = new URL(`http://${given}`).hostname
  } catch {
    // Not a host at all: refused like a foreign one.
  }
  if (isLoopback(hostname) || (hostname !== '' && allowed.includes(hostname))) return
  throw invalid(
    'host',
    'The Host header names another host. Use the address that the management API listens on, e.g. 127.0.0.1.',
  )
}
