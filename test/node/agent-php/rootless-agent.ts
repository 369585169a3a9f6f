/**
 * The agent's PHP and MariaDB as a normal user: `node rootless-agent.js <directory>`.
 * Prints what a script says that logs in to its database by `localhost`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'
import { createPhpPort } from '#adapters/node/agent/php/php-port.ts'
import type { Registry } from '#adapters/node/agent/registry/types.ts'
import { scriptBody } from './run-script.ts'

const [, , directory = ''] = process.argv
const { uid, gid } = os.userInfo()
const paths = {
  state_dir: `${directory}/state`,
  run_dir: `${directory}/run`,
  log_dir: `${directory}/log`,
}
const home = `${directory}/home`
for (const path of [...Object.values(paths), home]) mkdirSync(path, { recursive: true })
const note = (message: string, fields?: Record<string, unknown>): void =>
  void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
const log = { info: () => undefined, warn: note, error: note }

const databases = composeEngines(
  {
    mariadb: 'managed',
    mariadb_socket: '/nowhere',
    postgresql: 'off',
    postgresql_socket: '/nowhere/.s.PGSQL.5432',
  },
  paths,
  log,
)
const [engine] = databases.engines
const php = await createPhpPort({
  registry: {
    account: () => ({ username: 'alice', uid, gid, home, suspended: false, limits: null }),
    vhost: () => ({ username: 'alice', php: { version: process.argv[3], mode: 'fpm' } }),
    vhostsOf: () => [],
  } as unknown as Registry,
  lock: (_username, work) => work(),
  config: {
    default_version: null,
    max_children: 2,
    memory_limit: '64M',
    idle_timeout: 60,
    request_timeout: 30,
    lsphp_directory: '/usr/local/lsws',
  },
  runDir: paths.run_dir,
  webGid: null,
  databaseSocket: () => databases.mariadbSocket,
  ensureDirectory: async (_username, path) => void mkdirSync(path, { recursive: true }),
  log,
})
try {
  await engine?.whenReady()
  await engine?.create('alice_db', 'alice_db', 'some password')
  await engine?.shareConnections(['alice_db'])
  const { socket } = await php.ensure('alice.example.com')
  writeFileSync(
    `${home}/db.php`,
    `<?php $one = new mysqli('localhost', 'alice_db', 'some password', 'alice_db');
     $two = new PDO('mysql:host=localhost;dbname=alice_db', 'alice_db', 'some password');
     echo json_encode([posix_geteuid(), $one->query('SELECT CURRENT_USER()')->fetch_row()[0],
       $two->query('SELECT DATABASE()')->fetchColumn()]);`,
  )
  process.stdout.write(await scriptBody(socket, `${home}/db.php`))
} finally {
  await Promise.all([php.stop(), engine?.stop()])
}
