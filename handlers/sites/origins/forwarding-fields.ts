import { isForwardingField } from '../../../edge-cache/index.ts'

/**
 * Takes away what only a proxy may say of a request (`X-Forwarded-*`, `Via`, `CF-*`,
 * `traceparent` ...): from anybody else it is forged, and sites believe it.
 */
export const withoutForwarding = (request: Request): Request => {
  let forged = null as string[] | null
  request.headers.forEach((_, name) => {
    if (isForwardingField(name)) (forged ??= []).push(name)
  })
  if (forged === null) return request
  try {
    for (const name of forged) request.headers.delete(name)
    return request
  } catch {
    // Headers of a request that the runtime made cannot be changed.
    const headers = new Headers(request.headers)
    for (const name of forged) headers.delete(name)
    return new Request(request, { headers })
  }
}
