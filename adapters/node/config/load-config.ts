import { resolve } from 'node:path'
import { createConfigLoader, type LoadedConfig } from './config-loader.ts'

export type { LoadedConfig }

/**
 * Reads, merges and checks the configuration: the main file, what it includes,
 * and the generated virtual hosts. Never rejects for what a file holds; all
 * problems come back at once. The panel may not enter the directory of
 * generated hosts; for a reader like that the list simply lacks them.
 */
export const loadConfig = (file: string): Promise<LoadedConfig> =>
  createConfigLoader(resolve(file), { generatedHosts: 'optional' }).load()
