import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { loadConfig } from '../config/load-config.ts'
import { requireRootOwner } from '../layout/require-root-owner.ts'

/** The configuration as this version reads it; throws with every mistake in it. */
export const loadInstalledConfig = async (file: string): Promise<ServerConfig> => {
  const unsafe = requireRootOwner(file)
  if (unsafe !== null) throw new Error(unsafe)
  const loaded = await loadConfig(file)
  if (loaded.ok) return loaded.config
  const lines = loaded.problems.map((problem) => `  ${describeProblem(problem)}`)
  throw new Error(
    `this version does not take the configuration as it is; nothing was changed:\n${lines.join('\n')}`,
  )
}
