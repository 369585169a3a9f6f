import { request } from 'node:http'
import path from 'node:path'
import { createApplicationsPort } from '#adapters/node/agent/applications/applications-port.ts'
import type { ApplicationsService } from '#adapters/node/agent/applications/applications-port.ts'
import { createHelperPool } from '#adapters/node/agent/files/helper-pool.ts'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { applicationSocket } from '#handlers/domain/applications/application-place.ts'
import type { ApplicationSpec } from '#handlers/ports/host/applications.ts'
import { createHostFixture } from '#test/node/agent-php/host-fixture.ts'
import type { HostFixture } from '#test/node/agent-php/host-fixture.ts'

/** Real applications of a real account. */
export interface ApplicationsFixture {
  host: HostFixture
  account: RegisteredAccount
  /** Another agent on the same directories. */
  createService(): ApplicationsService
  /** What an application answers to `GET url` at its socket; null: nothing answers. */
  answers(name: string, url?: string): Promise<string | null>
  dispose(): Promise<void>
}

/** Asks whoever listens at a unix socket. */
export const askSocket = (socketPath: string, url = '/'): Promise<string | null> =>
  new Promise((resolve) => {
    const asked = request({ socketPath, path: url, agent: false, timeout: 20_000 }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => (text += chunk))
      answer.on('error', () => resolve(null))
      answer.on('end', () => resolve(text))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(null))
    asked.end()
  })

/** What an application is where a test says nothing else. */
export const applicationSpec = (
  username: string,
  name: string,
  change: Partial<ApplicationSpec> = {},
): ApplicationSpec => ({
  username,
  name,
  folder: `apps/${name}`,
  runtime: { kind: 'node', version: null },
  start: 'exec node server.mjs',
  environment: {},
  listen: 'socket',
  healthPath: null,
  startLimitSecs: 30,
  restart: 'always',
  memoryMb: null,
  sleepAfterSecs: null,
  ...change,
})

export const createApplicationsFixture = async (): Promise<ApplicationsFixture> => {
  const host = await createHostFixture()
  const account = await host.createAccount()
  const helpers = createHelperPool({ asRoot: true })
  const services: ApplicationsService[] = []
  return {
    host,
    account,
    createService: () => {
      const service = createApplicationsPort({
        registry: host.registry,
        helpers,
        asRoot: true,
        runDir: host.runDir,
        runtimesDirectory: path.join(host.stateDir, 'runtimes'),
        log: host.log,
        sweepEveryMs: 100,
      })
      services.push(service)
      return service
    },
    answers: (name, url) => askSocket(applicationSocket(account.home, name), url),
    dispose: async () => {
      for (const service of services) await service.stopAll()
      await helpers.endAll()
      await host.dispose()
    },
  }
}
