import { PANEL_COOKIE } from '../../domain/access/panel-cookie.ts'
import { TOKEN_LIFETIME_SECS } from './token.ts'

/** `Set-Cookie` value of a session. */
export const sessionCookie = (
  token: string,
  secure: boolean,
  maxAgeSecs = TOKEN_LIFETIME_SECS,
): string =>
  `${PANEL_COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeSecs}${secure ? '; Secure' : ''}`

/** `Set-Cookie` value that ends a session. */
export const clearedCookie = (secure: boolean): string =>
  `${PANEL_COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0${secure ? '; Secure' : ''}`

/** Value of the session cookie of a request, or null. */
export const readCookie = (request: Request): string | null => {
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === PANEL_COOKIE) return part.slice(at + 1).trim()
  }
  return null
}
