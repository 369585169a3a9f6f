import { loadConfig } from '#adapters/node/config/load-config.ts'
import type { ConfigProblem, ServerConfig } from '#handlers/domain/config/config-types.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { CliError } from './cli-error.ts'

/** All mistakes of a configuration, one a line. */
export const mistakesText = (problems: readonly ConfigProblem[]): string =>
  `${problems.length} ${problems.length === 1 ? 'mistake' : 'mistakes'} in the configuration:\n${problems
    .map((problem) => `  ${describeProblem(problem)}`)
    .join('\n')}`

/** The configuration, or an error (exit code 2) that lists every mistake. */
export const loadOrFail = async (file: string): Promise<ServerConfig> => {
  const loaded = await loadConfig(file)
  if (loaded.ok) return loaded.config
  throw new CliError(mistakesText(loaded.problems), 2)
}
