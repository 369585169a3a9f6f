import type { ConfigProblem } from '#handlers/domain/config/config-types.ts'
import { createConfigLoader, type PlacedConfig } from './config-loader.ts'
import { certificateSuspicions } from './suspicions/certificate-suspicions.ts'
import { panelNameSuspicions } from './suspicions/panel-name-suspicions.ts'
import { fileSuspicions } from './suspicions/file-suspicions.ts'
import { phpSuspicions } from './suspicions/php-suspicions.ts'
import { portSuspicions } from './suspicions/port-suspicions.ts'

/**
 * What is suspicious about a correct configuration on this machine, as this user
 * sees it: it would be served, but not as meant. In the order of files and lines.
 */
export const findSuspicions = async (
  placed: PlacedConfig,
  nowMs: number = Date.now(),
): Promise<ConfigProblem[]> => {
  const found = [
    ...fileSuspicions(placed),
    ...certificateSuspicions(placed, nowMs),
    ...portSuspicions(placed),
    ...panelNameSuspicions(placed),
    ...(await phpSuspicions(placed)),
  ]
  const rank = (problem: ConfigProblem): number => (problem.file === placed.config.file ? 0 : 1)
  return found.sort((a, b) => rank(a) - rank(b) || a.file.localeCompare(b.file) || a.line - b.line)
}

/** As `loadConfig`, with the places that `findSuspicions` wants. */
export const loadPlacedConfig = (file: string) =>
  createConfigLoader(file, { generatedHosts: 'optional' }).loadPlaced()
