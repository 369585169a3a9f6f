import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { reachableAt } from '../service/banner.ts'
import { readToken } from './first-config.ts'

/** What is printed at the end: where the panel is, and what to do next. */
export const renderNextSteps = (
  config: ServerConfig,
  facts: { first: boolean; started: boolean },
): string => {
  const scheme = config.panel.tls === 'off' ? 'http' : 'https'
  const urls = config.panel.listen.flatMap(reachableAt).map((at) => `${scheme}://${at}`)
  const token = readToken(config.panel.setup_token_file)
  const settings = `  Settings   ${config.file} (check them: berth config test)`
  if (!facts.started)
    return ['', 'Berth is installed and was not started. Start it: berth serve', settings].join(
      '\n',
    )
  return [
    '',
    'Berth is installed and serves.',
    '',
    `  Panel      ${urls.join('  ')}`,
    settings,
    `  Logs       ${config.paths.log_dir}`,
    '',
    ...(facts.first
      ? [
          'Next:',
          `  1. Open ${urls[0] ?? 'the panel'} and create the administrator${token === null ? '.' : `; the setup token is ${token}`}`,
          '     (or here, without a browser: berth admin create NAME).',
          '  2. For certificates, set acme_email in the section [panel] of the settings and restart.',
          '  3. Accounts, New account: the first site.',
          '  4. For the day this server is lost: berth panel recovery-kit (docs/disaster-recovery.md).',
        ]
      : [`Next: open ${urls[0] ?? 'the panel'} and log in.`]),
    'Help: berth --help, man berth',
  ].join('\n')
}
