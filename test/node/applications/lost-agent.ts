// Starts an application as an agent does, and is killed as an agent may be.
import { createApplicationsPort } from '#adapters/node/agent/applications/applications-port.ts'
import { createHelperPool } from '#adapters/node/agent/files/helper-pool.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'

const { registryFile, runDir, stateDir, username, name } = JSON.parse(
  process.argv[2] ?? '',
) as Record<'registryFile' | 'runDir' | 'stateDir' | 'username' | 'name', string>
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const service = createApplicationsPort({
  registry: openRegistry(registryFile),
  helpers: createHelperPool({ asRoot: true }),
  asRoot: true,
  runDir,
  runtimesDirectory: `${stateDir}/runtimes`,
  log,
})
await service.deploy({ username, name })
process.kill(process.pid, 'SIGKILL')
