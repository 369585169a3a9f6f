import { originHost, startBerth } from '../peers/berth.ts'
import { startNginx } from '../peers/nginx.ts'
import { compare } from '../support/findings/compare.ts'
import { comparedFindings, joined } from '../support/findings/compared-findings.ts'
import { startOrigin } from '../support/origin.ts'
import { BENCH_HOST, pageSide } from '../support/page-side.ts'
import { prime } from '../support/load/prime.ts'
import type { Family, FamilyResult } from '../support/findings/row.ts'
import { stageCertificate } from '../support/stage-certificate.ts'
import { onStage } from '../support/stage.ts'
import { together } from '../support/together.ts'

const ROWS = {
  'tls-1k': { protocol: 'tls', bytes: 1024, bar: 1.1, connections: 32, streams: 1 },
  'tls-48k': { protocol: 'tls', bytes: 48 * 1024, bar: 1.5, connections: 32, streams: 1 },
  'h2-1k': { protocol: 'h2', bytes: 1024, bar: 1, connections: 16, streams: 8 },
  'h2-10k': { protocol: 'h2', bytes: 10 * 1024, bar: 1, connections: 16, streams: 8 },
} as const

/** Hits on kept connections over TLS 1.3 (AES-128-GCM for both), as HTTP/1.1 and as HTTP/2. */
export const secure: Family = {
  name: 'secure',
  rows: {
    'tls-1k': 'cache hit of 1 KB over TLS 1.3',
    'tls-48k': 'cache hit of 48 KB over TLS 1.3',
    'h2-1k': 'cache hit of 1 KB over HTTP/2',
    'h2-10k': 'cache hit of 10 KB over HTTP/2',
  },
  obstacles: {
    'tls-1k':
      'TLS in Node costs 3 to 4 µs beside the same hit over plain HTTP, in nginx 1: each write is encrypted into a buffer, copied into a second one and, although the system takes it at once, reported back to JavaScript in a later turn; a read is called for twice. Our own part is what it is for `hits-1k`. Connections that come back are read into one shared room, which brought a tenth. What remains can only be had below the TLS sockets of Node.',
    'tls-48k':
      'The load generator, which must decrypt 48 KB for each answer, is the limit by requests per second: its processor is full while ours is idle for a sixth and more; nginx uses all of its. The figure by CPU-seconds is the one that tells the servers apart.',
  },
  measure: (wanted, effort) =>
    onStage(async (stage) => {
      const certificate = stageCertificate(stage)
      const origin = await startOrigin(stage)
      const [nginx, berth] = await together(
        startNginx(stage, { origin }),
        startBerth(stage, { more: originHost(BENCH_HOST, origin, certificate) }),
      )
      const results: FamilyResult[] = []
      for (const [row, { protocol, bytes, bar, connections, streams }] of Object.entries(ROWS)) {
        if (!wanted.has(row)) continue
        const page = { path: `/page/${bytes}`, protocol, connections, streams }
        const sides = [
          pageSide({ name: 'berth', pid: berth.pid, port: berth.sslPort, ...page }),
          pageSide({ name: 'nginx', pid: nginx.pid, port: nginx.ports[protocol], ...page }),
        ]
        await prime(sides, stage.directory)
        const runs = await compare(sides, effort, stage.directory)
        const against = [
          { name: 'nginx', bar: { atLeast: bar }, note: 'Varnish has no TLS to compare with' },
        ]
        const work = secure.rows[row] ?? row
        results.push(comparedFindings({ row, work, ours: 'berth', against }, runs))
      }
      return joined(results)
    }),
}
