import { startBerth, originHost } from '../peers/berth.ts'
import { compileFloor, startBareLoop, startFloor } from '../peers/floor.ts'
import { startNginx } from '../peers/nginx.ts'
import { startVarnish } from '../peers/varnish.ts'
import { browserHead } from '../support/browser-head.ts'
import { compare, type Side } from '../support/compare.ts'
import { comparedFindings, joined } from '../support/compared-findings.ts'
import { originPage, startOrigin } from '../support/origin.ts'
import { prime } from '../support/prime.ts'
import type { Family, FamilyResult } from '../support/row.ts'
import { onStage } from '../support/stage.ts'
import { stageCertificate } from '../support/stage-certificate.ts'
import { sha256 } from '../support/verify-answer.ts'

const HOST = 'bench.test'
const CONNECTIONS = 32
const SIZES = {
  'hits-1k': { bytes: 1024, nginx: 1.5 },
  'hits-10k': { bytes: 10 * 1024, nginx: 1.3 },
  'hits-48k': { bytes: 48 * 1024, nginx: 1.1 },
} as const

const side = (name: string, pid: number, port: number, path: string, cached: boolean): Side => ({
  name,
  roots: () => [pid],
  target: {
    ...{ port, path, host: HOST, connections: CONNECTIONS, protocol: 'h1' },
    headers: browserHead(HOST, path, 'identity'),
  },
  expected: { sha256: sha256(originPage(path) ?? ''), encoding: null, cached },
})

/** Pages as they were stored, over plain HTTP/1.1. */
export const hits: Family = {
  name: 'hits',
  rows: {
    'hits-1k': 'cache hit of 1 KB, identity',
    'hits-10k': 'cache hit of 10 KB, identity',
    'hits-48k': 'cache hit of 48 KB, identity',
  },
  measure: (wanted, effort) =>
    onStage(async (stage): Promise<FamilyResult> => {
      stageCertificate(stage)
      const origin = await startOrigin(stage)
      const nginx = await startNginx(stage, { origin })
      const varnish = await startVarnish(stage, { origin })
      const berth = await startBerth(stage, { more: originHost(HOST, origin) })
      const program = await compileFloor(stage)
      const results: FamilyResult[] = []
      for (const [row, { bytes, nginx: bar }] of Object.entries(SIZES)) {
        if (!wanted.has(row)) continue
        const path = `/page/${bytes}`
        const body = originPage(path) ?? ''
        const floor = await startFloor(stage, program, `floor-${row}`, body)
        const loop = await startBareLoop(stage, `loop-${row}`, body)
        const sides = [
          side('berth', berth.pid, berth.port, path, true),
          side('nginx', nginx.pid, nginx.ports.plain, path, true),
          side('varnish', varnish.pid, varnish.port, path, true),
          side('C floor', floor.pid, floor.port, path, true),
          side('bare loop', loop.pid, loop.port, path, true),
        ]
        await prime(sides, stage.directory)
        const runs = await compare(sides, effort, stage.directory)
        const comparison = {
          ...{ row, work: hits.rows[row] ?? row, ours: 'berth' },
          against: [
            { name: 'nginx', bar: { atLeast: bar } },
            {
              name: 'varnish',
              bar: { atLeast: 1.5 },
              note: 'log in shared memory, not written out',
            },
            { name: 'C floor', bar: { atLeast: 0.85 }, note: 'no checks, no log' },
            { name: 'bare loop', bar: { atLeast: 0.9 }, note: 'Node without checks or log' },
          ],
        }
        results.push(comparedFindings(comparison, runs))
      }
      return joined(results)
    }),
}
