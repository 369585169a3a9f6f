import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { ROOTLESS_CONFIG_FILE, SYSTEM_CONFIG_FILE } from '#handlers/domain/config/paths.ts'

/** Options that every command takes, before or after its name. */
export interface GlobalOptions {
  /** Absolute. */
  configFile: string
  json: boolean
}

/** Directory of the product that this command belongs to. */
export const PRODUCT_DIR = resolve(import.meta.dirname, '..')

/** The file that is meant when none is named: root's is the system's; a normal user's lies in the checkout, unless only the system's exists. */
const defaultConfigFile = (): string => {
  if (process.getuid?.() === 0) return SYSTEM_CONFIG_FILE
  const own = join(PRODUCT_DIR, ROOTLESS_CONFIG_FILE)
  return !existsSync(own) && existsSync(SYSTEM_CONFIG_FILE) ? SYSTEM_CONFIG_FILE : own
}

export const readGlobalOptions = (command: Command): GlobalOptions => {
  const given = command.optsWithGlobals<{ config?: string; json?: boolean }>()
  return {
    configFile: given.config === undefined ? defaultConfigFile() : resolve(given.config),
    json: given.json ?? false,
  }
}
