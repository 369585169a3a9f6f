import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { pageBody } from './page-body.ts'
import type { Stage } from './stage.ts'

/** `/…/<bytes>` or `/…/<bytes>/<seed>` is a page of that length. */
const PATH = /\/(\d+)(?:\/(\d+))?$/

const pages = new Map<string, string>()

/** The page that the origin gives for a path; undefined where it has none. */
export const originPage = (path: string): string | undefined => {
  const [, bytes, seed = '1'] = PATH.exec(path) ?? []
  if (bytes === undefined) return undefined
  const kept = pages.get(`${bytes}/${seed}`)
  if (kept !== undefined) return kept
  const made = pageBody(Number(bytes), Number(seed))
  // Those of scale are asked for once each.
  if (seed === '1') pages.set(`${bytes}/${seed}`, made)
  return made
}

/** The application behind all caches, in this process; below `/coded/` it compresses, below `/plain/` nobody may. Answers its port. */
export const startOrigin = async (stage: Stage): Promise<number> => {
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const page = originPage(path)
    if (page === undefined) {
      response.writeHead(404).end()
      return
    }
    const gzip =
      path.startsWith('/coded/') && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    const body = gzip ? gzipSync(page) : Buffer.from(page, 'latin1')
    const tag = /^\/tag-([a-z0-9]+)\//.exec(path)?.[1]
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': `public, max-age=3600${path.startsWith('/plain/') ? ', no-transform' : ''}`,
      'content-length': body.length,
      ...(gzip ? { 'content-encoding': 'gzip', vary: 'accept-encoding' } : {}),
      ...(tag === undefined ? {} : { 'x-cache-tag': tag }),
    })
    response.end(body)
  })
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stage.later(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
