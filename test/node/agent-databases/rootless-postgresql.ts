/** PostgreSQL as a normal user: `node rootless-postgresql.ts <json of paths>` tells what became of a database. */
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'

const quiet = (): void => undefined
const { engines } = composeEngines(
  {
    mariadb: 'off',
    mariadb_socket: '/nowhere',
    postgresql: 'auto',
    postgresql_socket: '/nowhere/.s.PGSQL.5432',
  },
  JSON.parse(process.argv[2] ?? '') as { state_dir: string; run_dir: string; log_dir: string },
  { info: quiet, warn: quiet, error: quiet },
)
const [engine] = engines
if (!engine) throw new Error('PostgreSQL is not installed')
try {
  await engine.whenReady()
  await engine.create('bob_x', 'bob_x', 'correct horse 9 battery')
  const exists = await engine.exists('bob_x', 'bob_x')
  await engine.drop('bob_x', 'bob_x')
  const gone = !(await engine.exists('bob_x', 'bob_x'))
  process.stdout.write(JSON.stringify({ host: engine.host, exists, gone }))
} finally {
  await engine.stop()
}
