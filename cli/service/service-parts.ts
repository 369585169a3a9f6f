import { ServiceError } from '#adapters/node/service/service-error.ts'
import { serviceFiles } from '#adapters/node/service/service-files.ts'
import { ServiceManager } from '#adapters/node/service/service-manager.ts'
import { startLimitSecs } from '#adapters/node/service/start-limit.ts'
import {
  createSystemctl,
  isSystemdRunning,
  type Systemctl,
} from '#adapters/node/service/systemctl.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { CliError } from '../cli-error.ts'
import { loadOrFail } from '../load-or-fail.ts'
import { PRODUCT_DIR } from '../options.ts'
import type { CommandFacts, LocalCall, LocalSpec } from '../panel/frame/command-types.ts'

/** What every command about the service works with. */
export interface ServiceContext extends LocalCall {
  config: ServerConfig
  manager: ServiceManager
  systemctl: Systemctl | null
}

/** systemd has its say first. */
const MORE_SECS = 30

/** systemd's tool where it runs the machine and this user may give it orders. */
const findSystemctl = (config: ServerConfig): Systemctl | null =>
  isSystemdRunning() && process.getuid?.() === 0
    ? createSystemctl(undefined, (startLimitSecs(config) + MORE_SECS) * 1000)
    : null

/** Runs one command; its expected failures become texts for the terminal. */
export const withService = async (
  call: LocalCall,
  act: (context: ServiceContext) => void | Promise<void>,
): Promise<void> => {
  const config = await loadOrFail(call.configFile)
  const systemctl = findSystemctl(config)
  const files = serviceFiles()
  const manager = new ServiceManager({ config, productDir: PRODUCT_DIR, files, systemctl })
  try {
    await act({ ...call, config, manager, systemctl })
  } catch (error) {
    if (error instanceof ServiceError) throw new CliError(error.message)
    throw error
  }
}

/** A command about the service. */
export const serviceCommand = ({
  act,
  ...facts
}: CommandFacts & { act(context: ServiceContext): void | Promise<void> }): LocalSpec => ({
  ...facts,
  act: (call) => withService(call, act),
})
