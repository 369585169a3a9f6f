/** An agent that starts its MariaDB server and is killed: `node lost-agent.ts <json of paths>`. */
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'

const quiet = (): void => undefined
const { engines } = composeEngines(
  { mariadb: 'managed', mariadb_socket: '/nowhere' },
  JSON.parse(process.argv[2] ?? '') as { state_dir: string; run_dir: string; log_dir: string },
  { info: quiet, warn: quiet, error: quiet },
)
await engines[0]?.whenReady()
process.kill(process.pid, 'SIGKILL')
