import { mustRun } from '#adapters/node/process/run-command.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { installWordpress } from '#test/e2e/support/wordpress-site.ts'
import { wordpressTree } from '#test/e2e/support/wordpress-tree.ts'
import type { Instance } from '#test/support/instance-types.ts'
import type { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import type { Side } from './findings/compare.ts'
import { sha256 } from './load/verify-response.ts'

/** A cookie that makes a visitor somebody: his pages are not those of the cache. WordPress itself does not look at it. */
const SESSION = { cookie: 'PHPSESSID=0123456789abcdef0123456789' }
const CONNECTIONS = 8

/** Debian's WordPress with a database of its own, in a new account on the plan `pro`. */
export const stageWordpress = async (instance: Instance, panel: PanelClient): Promise<Tenant> => {
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
  return tenant
}

/** Its front page: from the cache, and made anew for each visitor. */
export const wordpressSides = async (instance: Instance, { domain }: Tenant): Promise<Side[]> => {
  const { supervisor } = await instance.pids()
  const front = await instance.site(domain, '/')
  const side = (name: string, headers: Record<string, string>, cached: boolean): Side => ({
    name,
    // PHP and MariaDB are the supervisor's children too.
    roots: () => [supervisor],
    target: {
      ...{ port: instance.webPort, host: domain, path: '/', protocol: 'h1' },
      ...{ connections: CONNECTIONS, headers: { ...headers, 'accept-encoding': 'identity' } },
    },
    expected: { sha256: sha256(front.body), encoding: null, cached },
  })
  return [side('cached', {}, true), side('uncached', SESSION, false)]
}
