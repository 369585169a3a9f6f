import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { phpHost } from '#test/node/web-server/support/php-site.ts'
import { startBerth } from '../peers/berth.ts'
import { startNginx } from '../peers/nginx.ts'
import { compare } from '../support/findings/compare.ts'
import { comparedFindings, joined } from '../support/findings/compared-findings.ts'
import { pageBody } from '../support/page-body.ts'
import { BENCH_HOST, pageSide } from '../support/page-side.ts'
import { prime } from '../support/load/prime.ts'
import type { Family } from '../support/findings/row.ts'
import { stageCertificate } from '../support/stage-certificate.ts'
import { stagePhp } from '../support/stage-php.ts'
import { onStage } from '../support/stage.ts'

const BODY = pageBody(48 * 1024)
/** As in the row of PHP. */
const CONNECTIONS = 6
/** Long ago, so that nobody takes the file for one that is being written. */
const CHANGED = new Date('2026-01-02T03:04:05Z')
const GZIP = { encoding: 'gzip', accept: 'gzip, deflate' } as const

/** What is compressed for the visitor who asks, or once for a file. */
export const liveCodings: Family = {
  name: 'live-codings',
  rows: {
    'gzip-php-48k': 'PHP of 48 KB, uncached, in gzip',
    'gzip-file-48k': 'file of 48 KB in gzip',
  },
  obstacles: {
    'gzip-php-48k':
      'nginx compresses at level 1, its fastest, we at level 5, whose answers are a fifth smaller and take nearly three times as long (0.32 ms instead of 0.12 for this page, more than all else together).',
  },
  measure: (wanted, effort) =>
    onStage(async (stage) => {
      stageCertificate(stage)
      const site = await stagePhp(stage, BODY)
      mkdirSync(join(site.root, 'static'))
      const file = join(site.root, 'static/48k.css')
      writeFileSync(file, BODY)
      utimesSync(file, CHANGED, CHANGED)
      const nginx = await startNginx(stage, { origin: 9, root: site.root, php: site })
      const berth = await startBerth(stage, {
        more:
          phpHost(site, BENCH_HOST, 'htaccess = false') + '[virtualhost.cache]\nenable = false\n',
      })
      const pages = {
        'gzip-php-48k': { path: '/page.php', connections: CONNECTIONS, atLeast: 0.25 },
        'gzip-file-48k': { path: '/static/48k.css', connections: 32, atLeast: 2 },
      }
      const results = []
      for (const [row, { path, connections, atLeast }] of Object.entries(pages)) {
        if (!wanted.has(row)) continue
        const page = { path, connections, body: BODY, ...GZIP }
        const sides = [
          pageSide({ name: 'berth', pid: berth.pid, port: berth.port, ...page }),
          pageSide({ name: 'nginx', pid: nginx.pid, port: nginx.ports.gzip, ...page }),
        ]
        await prime(sides, stage.directory)
        const runs = await compare(sides, effort, stage.directory)
        const against = [{ name: 'nginx', bar: { atLeast }, note: 'gzip at level 1, each time' }]
        const work = liveCodings.rows[row] ?? row
        results.push(comparedFindings({ row, work, ours: 'berth', against }, runs))
      }
      return joined(results)
    }),
}
