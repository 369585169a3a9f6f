import type { ConfigProblem } from '#handlers/domain/config/config-types.ts'
import { problemAt } from '#handlers/domain/config/problems.ts'
import { defaultPhpVersion, detectPhp, type PhpPlaces } from '../../machine/find-php.ts'
import type { PlacedConfig } from '../config-loader.ts'

/** PHP versions and modes that are asked for and not installed. */
export const phpSuspicions = async (
  { config, main, hosts }: PlacedConfig,
  places: PhpPlaces = {},
): Promise<ConfigProblem[]> => {
  const installed = await detectPhp({ lswsDirectory: config.php.lsphp_directory, ...places })
  const versions = installed.map(({ version }) => version)
  const list = versions.length === 0 ? 'none' : versions.join(', ')
  const found: ConfigProblem[] = []
  const { default_version: preset } = config.php
  if (preset !== null && !versions.includes(preset))
    found.push(
      problemAt(
        main.place,
        ['php', 'default_version'],
        `PHP ${preset} is not installed (installed: ${list}). Install it, or choose another.`,
      ),
    )
  const usual = defaultPhpVersion(installed, preset)
  for (const { host, at, place } of hosts) {
    const { enable, socket, version, mode } = host.php
    if (!enable || socket !== null || host.username === null || host.suspended) continue
    const php = installed.find((one) => one.version === (version ?? usual))
    if (version !== null && php === undefined)
      found.push(
        problemAt(
          place,
          [...at, 'php', 'version'],
          `PHP ${version} of ${host.domain} is not installed (installed: ${list}). Install it, or choose another.`,
        ),
      )
    else if (php !== undefined && php.binaries[mode] === undefined)
      found.push(
        problemAt(
          place,
          [...at, 'php', 'mode'],
          `PHP ${php.version} of ${host.domain} is not installed for mode ${mode}. Install it, or choose another mode.`,
        ),
      )
  }
  return found
}
