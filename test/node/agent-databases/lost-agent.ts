/** An agent that starts its database server and is killed: `node lost-agent.ts <json of paths> <engine>`. */
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'

const engine = process.argv[3]
const quiet = (): void => undefined
const { engines } = composeEngines(
  {
    mariadb: engine === 'mariadb' ? 'managed' : 'off',
    mariadb_socket: '/nowhere',
    postgresql: engine === 'postgresql' ? 'managed' : 'off',
    postgresql_socket: '/nowhere/.s.PGSQL.5432',
  },
  JSON.parse(process.argv[2] ?? '') as { state_dir: string; run_dir: string; log_dir: string },
  { info: quiet, warn: quiet, error: quiet },
)
await engines[0]?.whenReady()
process.kill(process.pid, 'SIGKILL')
