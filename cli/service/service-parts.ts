import type { Command } from 'commander'
import { ServiceError } from '#adapters/node/service/service-error.ts'
import { serviceFiles } from '#adapters/node/service/service-files.ts'
import { ServiceManager } from '#adapters/node/service/service-manager.ts'
import {
  createSystemctl,
  isSystemdRunning,
  type Systemctl,
} from '#adapters/node/service/systemctl.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { CliError } from '../cli-error.ts'
import { loadOrFail } from '../load-or-fail.ts'
import { PRODUCT_DIR, readGlobalOptions } from '../options.ts'

/** What every command about the service works with. */
export interface ServiceContext {
  config: ServerConfig
  manager: ServiceManager
  systemctl: Systemctl | null
  /** Prints a response: JSON with --json, else the text. */
  print(answer: unknown, text: string): void
}

/** systemd's tool where it runs the machine and this user may give it orders. */
const findSystemctl = (): Systemctl | null =>
  isSystemdRunning() && process.getuid?.() === 0 ? createSystemctl() : null

/** Runs one command; its expected failures become texts for the terminal. */
export const withService = async (
  command: Command,
  act: (context: ServiceContext) => Promise<void>,
): Promise<void> => {
  const { configFile, json } = readGlobalOptions(command)
  const config = await loadOrFail(configFile)
  const systemctl = findSystemctl()
  const manager = new ServiceManager({
    config,
    productDir: PRODUCT_DIR,
    files: serviceFiles(),
    systemctl,
  })
  const print = (answer: unknown, text: string): void =>
    console.log(json ? JSON.stringify(answer, null, 2) : text)
  try {
    await act({ config, manager, systemctl, print })
  } catch (error) {
    if (error instanceof ServiceError) throw new CliError(error.message)
    throw error
  }
}
