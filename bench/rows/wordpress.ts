import { mustRun } from '#adapters/node/process/run-command.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { installWordpress } from '#test/e2e/support/wordpress-site.ts'
import { wordpressTree } from '#test/e2e/support/wordpress-tree.ts'
import { startInstance } from '#test/support/instance.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import { compare, type Side } from '../support/findings/compare.ts'
import { comparedFindings } from '../support/findings/compared-findings.ts'
import { pin, SERVER_CPU } from '../support/load/pin.ts'
import { prime } from '../support/load/prime.ts'
import { treeOf } from '../support/process-tree.ts'
import type { Family } from '../support/findings/row.ts'
import { onStage } from '../support/stage.ts'
import { sha256 } from '../support/load/verify-response.ts'

/** A cookie that makes a visitor somebody: his pages are not those of the cache. WordPress itself does not look at it. */
const SESSION = { cookie: 'PHPSESSID=0123456789abcdef0123456789' }
const CONNECTIONS = 8

/** A real WordPress with MariaDB, its front page from the cache and made anew for each visitor. */
export const wordpress: Family = {
  name: 'wordpress',
  rows: { wordpress: 'WordPress front page, cached against its own uncached' },
  measure: (_, effort) =>
    onStage(async (stage) => {
      const instance = await startInstance({ settings: { server: 'workers = 1' } })
      stage.later(() => instance.stop())
      const panel = new PanelClient(instance)
      await panel.setup()
      const tenant = await Tenant.create(panel, 'pro')
      const database = { db_name: 'wp', db_password: `Db-${tenant.username}-8x` }
      await panel.data('POST', '/api/databases', { account_id: tenant.id, ...database })
      const copy = asUser({ uid: tenant.uid, gid: tenant.uid, groups: 'none' }, 'cp', [
        ...['-r', '--', `${await wordpressTree()}/.`, tenant.path('public_html')],
      ])
      await mustRun(copy.program, copy.args)
      await panel.data('DELETE', '/api/files/delete', {
        account_id: tenant.id,
        path: 'public_html/index.html',
      })
      await installWordpress(instance, panel, {
        accountId: tenant.id,
        domain: tenant.domain,
        database: `${tenant.username}_wp`,
        databasePassword: database.db_password,
      })
      const { supervisor } = await instance.pids()
      const front = await instance.site(tenant.domain, '/')
      await pin(
        treeOf([supervisor]).map(({ pid }) => pid),
        SERVER_CPU,
      )
      const side = (name: string, headers: Record<string, string>, cached: boolean): Side => ({
        name,
        // PHP and MariaDB are the supervisor's children too.
        roots: () => [supervisor],
        target: {
          ...{ port: instance.webPort, host: tenant.domain, path: '/', protocol: 'h1' },
          ...{ connections: CONNECTIONS, headers: { ...headers, 'accept-encoding': 'identity' } },
        },
        expected: { sha256: sha256(front.body), encoding: null, cached },
      })
      const sides = [side('cached', {}, true), side('uncached', SESSION, false)]
      await prime(sides, stage.directory)
      // In less the uncached one would have next to no answers.
      const longer = { ...effort, seconds: Math.max(1, effort.seconds) }
      const runs = await compare(sides, longer, stage.directory)
      const against = [{ name: 'uncached', bar: { atLeast: 200 } }]
      const work = wordpress.rows['wordpress'] ?? 'WordPress'
      return comparedFindings({ row: 'wordpress', work, ours: 'cached', against }, runs)
    }),
}
