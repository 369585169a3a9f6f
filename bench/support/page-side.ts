import { browserHead } from './load/browser-head.ts'
import type { Side } from './findings/compare.ts'
import type { Target } from './load/load.ts'
import { originPage } from './origin.ts'
import { sha256, type Expected } from './load/verify-response.ts'

/** The one host of all comparisons; the certificate is made out to it. */
export const BENCH_HOST = 'bench.test'

export interface PageSide {
  name: string
  pid: number
  port: number
  path: string
  /** Default 32. */
  connections?: number
  protocol?: Target['protocol']
  streams?: number
  /** Default `identity`. */
  accept?: string
  /** Default none. */
  encoding?: Expected['encoding']
  /** Body; default: the origin's page of the path, from a cache. */
  body?: string | Buffer
}

/** Fields that HTTP/2 forbids (RFC 9113, 8.2.2). */
const withoutConnection = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'connection'))

/** A server that gives a page as browsers ask for it. */
export const pageSide = (page: PageSide): Side => {
  const { name, pid, port, path, connections = 32, protocol = 'h1', streams } = page
  const { accept = 'identity', encoding = null, body } = page
  const fields = browserHead(BENCH_HOST, path, accept)
  return {
    name,
    roots: () => [pid],
    target: {
      ...{ port, path, host: BENCH_HOST, connections, protocol },
      ...(streams === undefined ? {} : { streams }),
      headers: protocol === 'h2' ? withoutConnection(fields) : fields,
    },
    expected: {
      ...{ sha256: sha256(body ?? originPage(path) ?? ''), encoding },
      cached: body === undefined,
    },
  }
}
