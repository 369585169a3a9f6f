import { phpHost } from '#test/node/web-server/support/php-site.ts'
import { startBerth } from '../peers/berth.ts'
import { startNginx } from '../peers/nginx.ts'
import { compare } from '../support/findings/compare.ts'
import { comparedFindings } from '../support/findings/compared-findings.ts'
import { pageBody } from '../support/page-body.ts'
import { BENCH_HOST, pageSide } from '../support/page-side.ts'
import { prime } from '../support/load/prime.ts'
import type { Family } from '../support/findings/row.ts'
import { stageCertificate } from '../support/stage-certificate.ts'
import { stagePhp } from '../support/stage-php.ts'
import { onStage } from '../support/stage.ts'

const BODY = pageBody(4096)
/** As many as the master has children: with more, clients would wait for each other's connections. */
const CONNECTIONS = 6

/** A script that does next to nothing, through the same php-fpm master, nothing cached. */
export const php: Family = {
  name: 'php',
  rows: { php: 'PHP of 4 KB, uncached, the same FPM master' },
  obstacles: {
    php: 'Server and PHP share a processor, and the script does next to nothing: nginx spends 28 to 35 µs of it on a request in good spells, PHP 27 to 33, so 0.95 x allows us some 33 µs. We spend 39 to 45, which is 0.75 to 0.85 x by the time of server and PHP together. In the system we are at what nginx spends or below (23 to 25 µs against 28): two reads, two writes, less than one wait per request, kept connections, nothing asked of the primary. The difference is code of our own and the runtime’s, 18 to 21 µs against 6 to 8, of which no function takes 3 %; collecting garbage takes 2 µs. A loop of Node that only moves bytes between two sockets, without a policy, log or limit, takes 23 to 26 in all. Rates of both sides rise and fall within a run (nginx 12 to 24 thousand, ours 8.5 to 18.5), while the number of switches between processes hardly changes: 1.5 of the worker and 2 of PHP per request, with nginx 1.3 and 1.7, and about 0.7 interrupts that wake the load generator’s processor, with both (in some runs both switch less: 0.8 and 2, 0.8 and 1.8). Our connections to PHP stay the same six meanwhile. So what changes seems to be the price of switching and waking on a virtual machine (a third of the worker’s time in bad spells, in `finish_task_switch` and `_raw_spin_unlock_irqrestore`), and of going on with cold caches: our own code then takes 33 µs instead of 20, while that of nginx is too small to suffer, and we are at 0.45 to 0.65 x. One of PHP’s two wake-ups is probably the kernel’s, which wakes a sleeping reader of a unix socket also when what it wrote is read; Node has no means against that. Tried without success: reusing the connection that was freed last (nginx does), the runtime’s code on large pages, an idle task that keeps the load generator’s processor awake, larger young generations, a single-threaded collector, no timers per request, an object instead of a function as the listener for leaving clients. Children of PHP in the class for batches no longer interrupt the worker (0.05 times per request), but nginx gains as much. The same class for the worker was not taken: hits would wait for PHP. A script that takes milliseconds, as the row of WordPress shows, hides all this.',
  },
  measure: (_, effort) =>
    onStage(async (stage) => {
      stageCertificate(stage)
      const site = await stagePhp(stage, BODY)
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
