import { setTimeout as delay } from 'node:timers/promises'
import { createPhpPort } from '#adapters/node/agent/php/php-port.ts'
import type { PhpPortDeps, PhpService } from '#adapters/node/agent/php/php-port.ts'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { findProcesses, withoutForks } from '#adapters/node/agent/host/process-facts.ts'
import type { ProcessFacts } from '#adapters/node/agent/host/process-facts.ts'
import type { PhpConfig } from '#handlers/domain/config/config-types.ts'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import type { PhpPool } from '#handlers/ports/host/web-server.ts'
import { createHostFixture, hostSpec, putFile, WEB_GID } from './host-fixture.ts'
import type { HostFixture } from './host-fixture.ts'
import { scriptBody } from './run-script.ts'

export const PHP_CONFIG: PhpConfig = {
  default_version: null,
  max_children: 4,
  memory_limit: '96M',
  idle_timeout: 60,
  request_timeout: 30,
  lsphp_directory: '/usr/local/lsws',
}

/** A host fixture with PHP services; all of it is gone after `dispose`. */
export interface ModeFixture {
  host: HostFixture
  /** The newest installed version. */
  version: string
  service(change?: Partial<PhpPortDeps>): Promise<PhpService>
  /** Registers a virtual host of the account in this mode. */
  addHost(account: RegisteredAccount, domain: string, mode: PhpMode, pool?: PhpPool): void
  /** Processes that serve the account's PHP sockets. */
  mastersOf(account: RegisteredAccount): ProcessFacts[]
  /** Stops the services made so far. */
  stopServices(): Promise<void>
  dispose(): Promise<void>
}

export const createModeFixture = async (): Promise<ModeFixture> => {
  const host = await createHostFixture()
  const services: PhpService[] = []
  const service: ModeFixture['service'] = async (change = {}) => {
    const made = await createPhpPort({
      registry: host.registry,
      lock: host.lock,
      config: PHP_CONFIG,
      runDir: host.runDir,
      webGid: WEB_GID,
      databaseSocket: () => null,
      ensureDirectory: host.ensureDirectory,
      log: host.log,
      ...change,
    })
    services.push(made)
    return made
  }
  const stopServices = async (): Promise<void> => {
    await Promise.all(services.splice(0).map((each) => each.stop()))
  }
  const versions = await (await service()).versions()
  const version = versions[0]?.version ?? ''
  return {
    host,
    version,
    service,
    addHost: (account, domain, mode, pool) =>
      host.registry.changeVhosts(
        [hostSpec(account, domain, { php: { version, mode, ...(pool && { pool }) } })],
        [],
      ),
    mastersOf: (account) =>
      withoutForks(
        findProcesses(
          ({ uid, commandLine }) =>
            uid === account.uid && /^php-fpm: master|cgi-launcher\.ts/.test(commandLine),
        ),
      ),
    stopServices,
    dispose: async () => {
      await stopServices()
      await host.dispose()
    },
  }
}

/** Resolves once `done` holds; looked at again at every turn of a short timer. */
export const until = async (what: string, done: () => boolean): Promise<void> => {
  const deadline = performance.now() + 30_000
  while (!done()) {
    if (performance.now() > deadline) throw new Error(`not within 30 s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/**
 * How many of `count` requests at once run at the same time behind the socket. Each
 * stays until all have begun, though a second at most: some may have to wait for its end.
 */
export const greatestOverlap = async (
  account: RegisteredAccount,
  socket: string,
  count: number,
): Promise<number> => {
  const log = `overlap-${Math.random().toString(36).slice(2)}`
  const file = await putFile(
    account,
    'overlap.php',
    `<?php $log = __DIR__ . '/../tmp/' . $_SERVER['QUERY_STRING'];
    $note = fn($s) => file_put_contents($log, $s, FILE_APPEND | LOCK_EX);
    $note('+');
    for ($i = 0; $i < 100 && substr_count(file_get_contents($log), '+') < ${count}; $i++) usleep(10000);
    $note('-'); echo "done";`,
  )
  const show = await putFile(
    account,
    'overlap-show.php',
    `<?php echo file_get_contents(__DIR__ . '/../tmp/' . $_SERVER['QUERY_STRING']);`,
  )
  const query = { QUERY_STRING: log }
  const calls: Promise<string>[] = []
  for (let i = 0; i < count; i++) {
    calls.push(scriptBody(socket, file, query))
    // FPM starts one process for connections that come in the same moment.
    await delay(40)
  }
  await Promise.all(calls)
  let running = 0
  let most = 0
  for (const sign of await scriptBody(socket, show, query)) {
    running += sign === '+' ? 1 : -1
    most = Math.max(most, running)
  }
  return most
}
