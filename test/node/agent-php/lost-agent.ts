/**
 * An agent that starts masters and is killed: `node lost-agent.ts <json>`.
 * Its registry lives in memory, as the test holds the real one open.
 */
import { createPhpPort } from '#adapters/node/agent/php/php-port.ts'
import type { PhpPortDeps } from '#adapters/node/agent/php/php-port.ts'
import type { RegisteredAccount, Registry } from '#adapters/node/agent/registry/types.ts'

const input = JSON.parse(process.argv[2] ?? '') as {
  runDir: string
  webGid: number
  phpConfig: PhpPortDeps['config']
  accounts: RegisteredAccount[]
  version: string
}
const quiet = (): void => undefined
const registry = {
  account: (username: string) =>
    input.accounts.find((account) => account.username === username) ?? null,
  vhost: (domain: string) => ({
    username: domain.split('.')[0],
    php: { version: input.version, mode: 'fpm' },
  }),
  vhostsOf: () => [],
} as unknown as Registry
const service = await createPhpPort({
  registry,
  lock: (_username, work) => work(),
  config: input.phpConfig,
  runDir: input.runDir,
  webGid: input.webGid,
  databaseSocket: () => `${input.runDir}/mariadb/mariadb.sock`,
  ensureDirectory: async () => undefined,
  log: { info: quiet, warn: quiet, error: quiet },
})
for (const { username } of input.accounts) await service.ensure(`${username}.example.com`)
process.stdout.write('left\n', () => process.kill(process.pid, 'SIGKILL'))
