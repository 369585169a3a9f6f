import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { phpHost, startPhpSite } from '#test/node/web-server/support/php-site.ts'
import { startBerth } from '../peers/berth.ts'
import { startNginx } from '../peers/nginx.ts'
import { compare } from '../support/compare.ts'
import { comparedFindings } from '../support/compared-findings.ts'
import { pageBody } from '../support/page-body.ts'
import { BENCH_HOST, pageSide } from '../support/page-side.ts'
import { pin, SERVER_CPU } from '../support/pin.ts'
import { prime } from '../support/prime.ts'
import { treeOf } from '../support/process-tree.ts'
import type { Family } from '../support/row.ts'
import { stageCertificate } from '../support/stage-certificate.ts'
import { onStage } from '../support/stage.ts'

const BODY = pageBody(4096)
/** As many as the master has children: with more, clients would wait for each other's connections. */
const CONNECTIONS = 6

/** A script that does next to nothing, through the same php-fpm master, nothing cached. */
export const php: Family = {
  name: 'php',
  rows: { php: 'PHP of 4 KB, uncached, the same FPM master' },
  obstacles: {
    php: 'Server and PHP share a processor, and the script does next to nothing: nginx spends 31 to 33 µs of it on a request, PHP 30 to 35, so 0.95 x allows us some 35 µs. We spend 41 to 45 (58 to 60 before a known script ran without asking every layer by a promise of its own, and before a repeated header block was parsed and encoded once), which is 0.85 x by the time of server and PHP together, and 0.7 x by that of the server alone. A loop of Node that only moves bytes between two sockets, without a policy, log or limit, takes 23 to 26. 20 to 25 µs of ours are spent in the system, as in nginx, 20 in our code and the runtime, of which no function takes 3 %; collecting garbage takes 2. Tried without success: larger young generations, a single-threaded collector, no timers per request, an object instead of a function as the listener for leaving clients (what Node makes of it lives until a full collection, which doubled the cost). The same code goes in two ways, and changes between them within a run (11 to 18 thousand requests a second, or 6 to 9): where answers of PHP arrive together they cost 36 to 45 µs each, where each wakes the worker by itself 80 to 100 µs, a third of it in the kernel’s switching between worker and PHP on their one processor (`finish_task_switch`, `_raw_spin_unlock_irqrestore`); nginx spends about the same in both. Keeping the worker from waking up at once (a scheduling class for batches) was not taken: hits would wait for PHP. A script that takes milliseconds, as the row of WordPress shows, hides all this.',
  },
  measure: (_, effort) =>
    onStage(async (stage) => {
      stageCertificate(stage)
      const before = new Set(treeOf([process.pid]).map(({ pid }) => pid))
      const site = await startPhpSite(stage.directory)
      stage.later(() => site.stop())
      const fpm = treeOf([process.pid]).filter(({ pid }) => !before.has(pid))
      await pin(
        fpm.map(({ pid }) => pid),
        SERVER_CPU,
      )
      chmodSync(site.socket, 0o666)
      writeFileSync(
        join(site.root, 'page.php'),
        `<?php header('Content-Type: text/html; charset=utf-8'); ?>${BODY}`,
      )
      const nginx = await startNginx(stage, { origin: 9, php: site })
      const berth = await startBerth(stage, {
        more:
          phpHost(site, BENCH_HOST, 'htaccess = false') + '[virtualhost.cache]\nenable = false\n',
      })
      const page = { path: '/page.php', body: BODY, connections: CONNECTIONS }
      const sides = [
        pageSide({ name: 'berth', pid: berth.pid, port: berth.port, ...page }),
        pageSide({ name: 'nginx', pid: nginx.pid, port: nginx.ports.php, ...page }),
      ]
      await prime(sides, stage.directory)
      const runs = await compare(sides, effort, stage.directory)
      const note = 'kept connections to FPM; Varnish runs no PHP'
      const against = [{ name: 'nginx', bar: { atLeast: 0.95 }, by: 'requests' as const, note }]
      const work = php.rows['php'] ?? 'PHP'
      return comparedFindings({ row: 'php', work, ours: 'berth', against }, runs)
    }),
}
