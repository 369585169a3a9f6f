import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import { isScriptSource } from '../../domain/files/script-source.ts'
import { placeOf } from '../paths/resolve-path.ts'
import type { SiteFiles } from '../site-files.ts'
import { errorPage } from './error-page.ts'
import { serveFile } from './static-response.ts'

/** The page that a virtual host's configuration has for a status, or our own. `maySend`: what its rules say of the file. */
export const configuredPage = async (
  files: SiteFiles,
  request: Request,
  vhost: VirtualHostConfig,
  status: number,
  headers: Record<string, string>,
  maySend: (path: string) => boolean = () => true,
): Promise<Response> => {
  const { method } = request
  const path = vhost.error_pages[String(status)]
  if (path === undefined || isScriptSource(path) || !maySend(path))
    return errorPage(method, status, headers)
  const page = await files.open(placeOf(vhost, path.startsWith('/') ? path : `/${path}`))
  if (typeof page !== 'object') return errorPage(method, status, headers)
  // Conditions and ranges are about the page asked for, not about this one.
  const plain = new Request(request.url, { method: method === 'HEAD' ? 'HEAD' : 'GET' })
  const { body, headers: given } = serveFile(plain, page, path)
  const kept = { ...headers }
  for (const name of ['content-type', 'content-length']) kept[name] = given.get(name) ?? ''
  return new Response(body, { status, headers: kept })
}
