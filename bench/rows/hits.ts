import { originHost, startBerth } from '../peers/berth.ts'
import { compileFloor, startBareLoop, startFloor } from '../peers/floor.ts'
import { startNginx } from '../peers/nginx.ts'
import { startVarnish } from '../peers/varnish.ts'
import { compare } from '../support/findings/compare.ts'
import { comparedFindings, joined } from '../support/findings/compared-findings.ts'
import { originPage, startOrigin } from '../support/origin.ts'
import { BENCH_HOST, pageSide } from '../support/page-side.ts'
import { prime } from '../support/load/prime.ts'
import type { Family, FamilyResult } from '../support/findings/row.ts'
import { stageCertificate } from '../support/stage-certificate.ts'
import { onStage } from '../support/stage.ts'
import { together } from '../support/together.ts'

/** Bytes of the page, and what is demanded against nginx. */
const SIZES = {
  'hits-1k': [1024, 1.5],
  'hits-10k': [10 * 1024, 1.3],
  'hits-48k': [48 * 1024, 1.1],
} as const

/** Pages as they were stored, over plain HTTP/1.1, with all policy, access log and statistics. */
export const hits: Family = {
  name: 'hits',
  rows: {
    'hits-1k': 'cache hit of 1 KB, identity',
    'hits-10k': 'cache hit of 10 KB, identity',
    'hits-48k': 'cache hit of 48 KB, identity',
  },
  obstacles: {
    'hits-1k':
      'Of an answer, 70 % is the system (read, write, epoll), 17 % Node and V8 between it and us (a request object for each write, a call for each read), 10 % our parser, policy, lookup, log and statistics. Connections that come back are read into one shared room; the buffer of 64 KB that Node makes and drops for each read was a tenth of an answer. The bare loop of Node, which does nothing, reaches 0.7 to 0.8 x the C floor, so 0.85 x is out of reach by the sockets of Node. Settings of the allocator and of the collector brought nothing.',
    'hits-10k':
      'The sockets of Node, as for `hits-1k`: the bare loop, which does nothing, reaches 0.7 to 0.8 x the C floor.',
    'hits-48k':
      'By requests per second the load generator is the limit: with us and with the C floor its processor is full while the server’s is idle for a quarter and more, and the C floor is itself at 0.9 to 1.0 x nginx. nginx gives its cached file with `sendfile`: all answers are the same pages of memory, which the load generator has in its own cache, while what we write must be copied into the socket and fetched from there by the other processor. Node has no such call. By CPU-seconds three quarters of an answer are the system’s work with 48 KB in a socket; each answer is one `read` and one `write`, as in the bare loop. Of 17 663 writes none was taken in part, so that a larger buffer of the socket, which Node cannot set, would bring nothing. The bare loop is itself at 0.6 to 0.8 x the C floor.',
  },
  measure: (wanted, effort) =>
    onStage(async (stage) => {
      stageCertificate(stage)
      const origin = await startOrigin(stage)
      const [nginx, varnish, berth, program] = await together(
        startNginx(stage, { origin }),
        startVarnish(stage, { origin }),
        startBerth(stage, { more: originHost(BENCH_HOST, origin) }),
        compileFloor(stage),
      )
      const results: FamilyResult[] = []
      for (const [row, [bytes, bar]] of Object.entries(SIZES)) {
        if (!wanted.has(row)) continue
        const path = `/page/${bytes}`
        const body = originPage(path) ?? ''
        const floor = await startFloor(stage, program, `floor-${row}`, body)
        const loop = await startBareLoop(stage, `loop-${row}`, body)
        const sides = [
          pageSide({ name: 'berth', pid: berth.pid, port: berth.port, path }),
          pageSide({ name: 'nginx', pid: nginx.pid, port: nginx.ports.plain, path }),
          pageSide({ name: 'varnish', ...varnish, path }),
          pageSide({ name: 'C floor', ...floor, path }),
          pageSide({ name: 'bare loop', ...loop, path }),
        ]
        await prime(sides, stage.directory)
        const runs = await compare(sides, effort, stage.directory)
        const against = [
          { name: 'nginx', bar: { atLeast: bar } },
          { name: 'varnish', bar: { atLeast: 1.5 }, note: 'its log stays in shared memory' },
          { name: 'C floor', bar: { atLeast: 0.85 }, note: 'no checks, no log' },
          { name: 'bare loop', bar: { atLeast: 0.9 }, note: 'Node without checks or log' },
        ]
        const work = hits.rows[row] ?? row
        results.push(comparedFindings({ row, work, ours: 'berth', against }, runs))
      }
      return joined(results)
    }),
}
