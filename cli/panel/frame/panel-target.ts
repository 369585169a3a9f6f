import { join } from 'node:path'
import type { Command } from 'commander'
import { readFileSync, statSync } from 'node:fs'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { CliError } from '../../cli-error.ts'
import { loadOrFail } from '../../load-or-fail.ts'
import { readGlobalOptions } from '../../options.ts'
import { readText, reasonOf } from '../../read-text.ts'
import { readProfiles } from '../../profile/profiles.ts'

/** Where a panel answers, and how one gets in. */
export type PanelTarget =
  | {
      kind: 'local'
      /** Of `panel-cli.sock`. */
      socketPath: string
      configFile: string
      logFile: string
    }
  | {
      kind: 'remote'
      url: URL
      token: string | null
      /** PEM of the certificate, or of the authority, that is trusted; null: the system's authorities. */
      ca: string | null
    }

/** Options that say which panel is meant. */
export interface TargetOptions {
  url?: string
  token?: string
  tokenFile?: string
  caFile?: string
  profile?: string
  config?: string
}

/** The address of a panel, from what a person wrote. */
export const parsePanelUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new CliError(
      `${text} is no address of a panel. Give one such as https://panel.example.com:7070.`,
      2,
    )
  if (url.username !== '' || url.password !== '')
    throw new CliError('A panel address holds no user name and password. Use: berth login', 2)
  return new URL(url.origin + trimEndOf(url.pathname, '/').replace(/\/api$/, '') + '/')
}

/** The token in a file that nobody else can read. */
const readTokenFile = (file: string): string => {
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new CliError(
        `${file} can be read by others, and with it the panel be entered. Run: chmod 600 ${file}`,
        2,
      )
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError(`${file} cannot be read: ${reasonOf(error)}`, 2)
  }
}

const given = (text: string | undefined): string | null =>
  text === undefined || text === '' ? null : text

/** The token that is named beside a profile; null: none. */
const tokenOf = (options: TargetOptions): string | null => {
  if (options.token !== undefined && options.tokenFile !== undefined)
    throw new CliError('Give either --token or --token-file.', 2)
  if (options.tokenFile !== undefined) return readTokenFile(options.tokenFile)
  return given(options.token) ?? given(process.env['BERTH_TOKEN'])
}

const needToken = (target: PanelTarget & { kind: 'remote' }): PanelTarget => {
  if (target.token !== null) return target
  throw new CliError(
    `There is no token for ${target.url.href}. Log in with berth login, or set BERTH_TOKEN.`,
  )
}

const localTarget = async (command: Command): Promise<PanelTarget> => {
  const { configFile } = readGlobalOptions(command)
  const { paths } = await loadOrFail(configFile)
  return {
    kind: 'local',
    socketPath: join(paths.run_dir, 'panel-cli.sock'),
    configFile,
    logFile: join(paths.log_dir, 'panel.log'),
  }
}

/**
 * Which panel a command means: `--url` or `BERTH_URL`, else `--profile` or
 * `BERTH_PROFILE`, else the panel of `--config` on this machine, else the profile
 * that `berth login` or `berth profile use` chose, else this machine's panel.
 * A profile named `local` is this machine.
 */
export const findPanelTarget = async (command: Command): Promise<PanelTarget> => {
  const options = command.optsWithGlobals<TargetOptions>()
  const token = tokenOf(options)
  const urlText = options.url ?? given(process.env['BERTH_URL'])
  if (urlText !== null && options.profile === undefined)
    return needToken({
      kind: 'remote',
      url: parsePanelUrl(urlText),
      token,
      ca: options.caFile === undefined ? null : readText(options.caFile, 2),
    })
  if (options.url !== undefined) throw new CliError('Give either --url or --profile.', 2)
  const { current, profiles } = readProfiles()
  const named = options.profile ?? given(process.env['BERTH_PROFILE'])
  const name = named ?? (options.config === undefined ? current : null)
  if (name === null || name === 'local') return localTarget(command)
  const profile = profiles[name]
  if (profile === undefined)
    throw new CliError(`There is no profile "${name}". See: berth profile list`, 2)
  return needToken({
    kind: 'remote',
    url: parsePanelUrl(profile.url),
    token: token ?? profile.token,
    ca: options.caFile === undefined ? profile.ca : readText(options.caFile, 2),
  })
}
