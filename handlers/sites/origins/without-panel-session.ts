import { withoutPanelCookie } from '../../domain/access/panel-cookie.ts'

const changed = (headers: Headers, cookies: string): void => {
  if (cookies === '') headers.delete('cookie')
  else headers.set('cookie', cookies)
}

/**
 * Takes the panel's session out of a request to a site. Browsers send cookies to every
 * port of a host, so whoever has a site on the panel's host name, or on an address of the
 * machine, would be sent the administrator's. Done once, before rules, page cache and
 * every kind of backend.
 */
export const withoutPanelSession = (request: Request): Request => {
  const field = request.headers.get('cookie')
  if (field === null) return request
  const cookies = withoutPanelCookie(field)
  if (cookies === field) return request
  try {
    changed(request.headers, cookies)
    return request
  } catch {
    // Headers of a request that the runtime made cannot be changed.
    const headers = new Headers(request.headers)
    changed(headers, cookies)
    return new Request(request, { headers })
  }
}
