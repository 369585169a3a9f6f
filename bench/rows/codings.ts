import { originHost, startBerth } from '../peers/berth.ts'
import { startNginx } from '../peers/nginx.ts'
import { startVarnish } from '../peers/varnish.ts'
import { compare } from '../support/findings/compare.ts'
import { comparedFindings, joined } from '../support/findings/compared-findings.ts'
import { startOrigin } from '../support/origin.ts'
import { BENCH_HOST, pageSide } from '../support/page-side.ts'
import { prime } from '../support/load/prime.ts'
import type { Family } from '../support/findings/row.ts'
import { stageCertificate } from '../support/stage-certificate.ts'
import { onStage } from '../support/stage.ts'
import { together } from '../support/together.ts'

const BYTES = 48 * 1024
const CODINGS = {
  'gzip-48k': { encoding: 'gzip', accept: 'gzip, deflate' },
  'br-48k': { encoding: 'br', accept: 'gzip, deflate, br' },
} as const

/** Pages as browsers ask for them: compressed. */
export const codings: Family = {
  name: 'codings',
  rows: {
    'gzip-48k': 'cache hit of 48 KB for clients that accept gzip',
    'br-48k': 'cache hit of 48 KB for clients that accept brotli',
  },
  obstacles: {
    'gzip-48k':
      'nginx compresses at level 1, its fastest, and does 9 to 12 thousand of these pages in a CPU-second: 20 x would be 180 to 240 thousand answers, more than the C floor gives that only writes prepared bytes (about 150 thousand of 10 KB). The bar comes from an earlier trial in which nginx compressed 1.5 thousand.',
    'br-48k': 'As for `gzip-48k`: 20 x would be more than the C floor can write.',
  },
  measure: (wanted, effort) =>
    onStage(async (stage) => {
      stageCertificate(stage)
      const origin = await startOrigin(stage)
      const [nginx, varnish, berth] = await together(
        startNginx(stage, { origin }),
        startVarnish(stage, { origin }),
        startBerth(stage, { more: originHost(BENCH_HOST, origin) }),
      )
      const rows = Object.entries(CODINGS).filter(([row]) => wanted.has(row))
      const gzip = { encoding: 'gzip', accept: 'gzip, deflate, br' } as const
      const page = `/page/${BYTES}`
      const sides = [
        ...rows.map(([row, coding]) =>
          pageSide({ name: `berth ${row}`, ...berth, path: page, ...coding }),
        ),
        ...[
          { name: 'nginx, gzip on', port: nginx.ports.gzip, path: page },
          { name: 'nginx, origin compressed', port: nginx.ports.plain, path: `/coded/${BYTES}` },
        ].map((side) => pageSide({ pid: nginx.pid, ...side, ...gzip })),
        pageSide({ name: 'varnish', ...varnish, path: `/gzip/${BYTES}`, ...gzip }),
      ]
      await prime(sides, stage.directory)
      const runs = await compare(sides, effort, stage.directory)
      return joined(
        rows.map(([row, { encoding }], index) => {
          const note = encoding === 'br' ? 'the other has no brotli and gives gzip' : undefined
          const noted = note === undefined ? {} : { note }
          const against = [
            { name: 'nginx, gzip on', bar: { atLeast: 20 }, ...noted },
            { name: 'nginx, origin compressed', bar: { atLeast: 1.1 }, ...noted },
            { name: 'varnish', bar: { atLeast: 1.3 }, ...noted },
          ]
          const ours = `berth ${row}`
          const own = new Map(
            // The figures of the others once are enough.
            [...runs].filter(
              ([name]) => name === ours || (index === 0 && !name.startsWith('berth')),
            ),
          )
          const work = codings.rows[row] ?? row
          const { findings } = comparedFindings({ row, work, ours, against }, runs)
          return { findings, figures: comparedFindings({ row, work, ours, against }, own).figures }
        }),
      )
    }),
}
