import { join } from 'node:path'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { unixFetch } from '#adapters/node/process/unix-fetch.ts'
import type { Tenant } from '#test/support/tenant.ts'

/** Has the agent run the account's primary site in mode `lsapi`, as the panel would ask it to. */
export const switchByAgent = async (
  runDir: string,
  tenant: Tenant,
  version: string,
): Promise<void> => {
  const host = createHostClient(
    unixFetch(join(runDir, 'agent.sock'), { timeoutMs: 30_000, maxBytes: 2 ** 20 }),
  )
  const { username, domain } = tenant
  await host.php.configure({
    operationId: `switch-${username}`,
    username,
    version,
    mode: 'lsapi',
  })
  await host.webServer.apply({
    put: [
      {
        domain,
        aliases: [],
        username,
        root: tenant.path('public_html'),
        suspended: false,
        overBandwidth: false,
        php: { version, mode: 'lsapi' },
        ssl: null,
        redirectHttps: false,
        cache: { enable: true, ttl: null, exclude: [] },
      },
    ],
    remove: [],
  })
}
