import { browserHead } from '../support/load/browser-head.ts'
import { compare, type Side } from '../support/findings/compare.ts'
import { comparedFindings, joined } from '../support/findings/compared-findings.ts'
import { BENCH_HOST } from '../support/page-side.ts'
import { prime } from '../support/load/prime.ts'
import type { Family, FamilyResult } from '../support/findings/row.ts'
import { onStage } from '../support/stage.ts'
import { startStaticPeers } from '../support/static-peers.ts'

/** Asked one after the other, as bots do: nobody remembers a single one. */
const PATHS = { from: 100_000, count: 900_000, order: 'next' } as const
const ROWS = {
  'unknown-host': 'unknown.test',
  'not-found': BENCH_HOST,
} as const

const sideOf = (name: string, pid: number, port: number, host: string): Side => {
  const path = '/static/wp-admin-'
  return {
    name,
    roots: () => [pid],
    target: {
      ...{ port, path, host, connections: 32, protocol: 'h1', refused: true },
      headers: browserHead(host, `${path}${PATHS.from}`, 'identity'),
      numbered: PATHS,
    },
    expected: { status: 404, sha256: null, encoding: null, cached: false },
  }
}

/** What bots ask all day: names that no site has, and paths that are not there. */
export const notFound: Family = {
  name: 'nothing',
  rows: {
    'unknown-host': 'a name that no site has',
    'not-found': 'paths that a static site does not have, each another',
  },
  measure: (wanted, effort) =>
    onStage(async (stage) => {
      const { nginx, berth } = await startStaticPeers(stage)
      const results: FamilyResult[] = []
      for (const [row, host] of Object.entries(ROWS)) {
        if (!wanted.has(row)) continue
        const sides = [
          sideOf('berth', berth.pid, berth.port, host),
          sideOf('nginx', nginx.pid, nginx.ports.plain, host),
        ]
        await prime(sides, stage.directory)
        const runs = await compare(sides, effort, stage.directory)
        const against = [
          {
            name: 'nginx',
            bar: { atLeast: 0.8 },
            note: 'its page has 146 bytes, ours 581',
          },
        ]
        const work = notFound.rows[row] ?? row
        results.push(comparedFindings({ row, work, ours: 'berth', against, bytes: false }, runs))
      }
      return joined(results)
    }),
}
