import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Place } from '#handlers/domain/recovery/member-name.ts'
import { parseMemberName } from '#handlers/domain/recovery/member-name.ts'
import { SPOOL_PATHS } from '../../accounts/spool.ts'
import type { SpoolPaths } from '../../accounts/spool.ts'
import { frontCertificatesDirectory } from '../../../layout/front-directories.ts'
import { isIncluded } from '../../../layout/hand-written.ts'

/** A file of the installation that an export holds. */
export interface CollectedFile {
  /** Its name in the export. */
  name: string
  file: string
  /** Of `named/…`: where the configuration looks for it. */
  path?: string
}

export interface Collected {
  files: CollectedFile[]
  /** What is not taken, in words. */
  leftOut: string[]
}

const MAX_DEPTH = 12
/** Databases of the agent, which are copied by themselves, and halves of files that were being written. */
const isPassing = (name: string): boolean =>
  name.startsWith('registry.db') || /^\..*\.new$|\.new$/.test(name)

/** Files that the configuration names, wherever they lie. */
const namedFiles = ({
  paths,
  panel,
  remote_target,
  webhook,
  virtualhost,
}: ServerConfig): string[] => [
  ...new Set(
    [
      panel.license_file,
      panel.license_public_key_file,
      panel.setup_token_file,
      panel.store_password_file,
      panel.store_ca_file,
      panel.acme_ca_file,
      panel.acme_eab_key_file,
      panel.acme_fallback_eab_key_file,
      panel.tls_certificate,
      panel.tls_certificate_key,
      ...remote_target.flatMap((one) => [
        one.secret_key_file,
        one.password_file,
        one.private_key_file,
      ]),
      ...webhook.map(({ secret_file }) => secret_file),
      ...virtualhost
        .filter(({ username }) => username === null)
        .flatMap((host) => [host.ssl_certificate, host.ssl_certificate_key])
        // What a panel brought to this machine as a front it brings anew.
        .filter((name) => name?.startsWith(`${frontCertificatesDirectory(paths)}/`) !== true),
    ].filter((name) => name !== null),
  ),
]

/** Files besides: those that root put beside the configuration, and the hosts that it includes. */
const besideConfig = (config: ServerConfig): string[] => {
  const directory = dirname(config.file)
  const plain = (folder: string, wanted: (path: string) => boolean): string[] =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !isPassing(entry.name))
      .map(({ name }) => join(folder, name))
      .filter(wanted)
  const hosts = dirname(config.include)
  const included =
    hosts === config.paths.vhosts_dir || lstatSync(hosts, { throwIfNoEntry: false }) === undefined
      ? []
      : plain(hosts, (path) => isIncluded(config, path))
  return [...plain(directory, () => true), ...included]
}

/** Lists what an export holds beside records and databases. Contents are read later, each as it is then. */
export const collectFiles = (
  config: ServerConfig,
  accounts: readonly string[],
  spool: SpoolPaths = SPOOL_PATHS,
): Collected => {
  const files: CollectedFile[] = []
  const leftOut: string[] = []
  const taken = new Set<string>()

  const take = (place: Place, path: string, file: string, more: { path?: string } = {}): void => {
    const name = `${place}/${path}`
    const stat = lstatSync(file, { throwIfNoEntry: false })
    if (stat === undefined) leftOut.push(`${file} is not there`)
    else if (parseMemberName(name) === null)
      leftOut.push(`${JSON.stringify(file)} has a name that is not taken`)
    else if (!stat.isFile()) leftOut.push(`${file} is a link or no plain file`)
    else if (!taken.has(file)) {
      taken.add(file)
      files.push({ name, file, ...more })
    }
  }
  const takeTree = (place: Place, root: string, skip: (name: string) => boolean): void => {
    const visit = (path: string, depth: number): void => {
      const entries = readdirSync(join(root, path), { withFileTypes: true })
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (isPassing(entry.name) || (path === '' && skip(entry.name))) continue
        const child = path === '' ? entry.name : `${path}/${entry.name}`
        if (!entry.isDirectory()) take(place, child, join(root, child))
        else if (depth === MAX_DEPTH) leftOut.push(`${join(root, child)} lies too deep`)
        else visit(child, depth + 1)
      }
    }
    if (lstatSync(root, { throwIfNoEntry: false })?.isDirectory() === true) visit('', 1)
  }

  const { paths } = config
  const none = (): boolean => false
  takeTree('secrets', paths.secrets_dir, none)
  takeTree('certificates', config.ssl.directory, none)
  takeTree('hooks', config.hooks.directory, none)
  // A leave of an hour is for the machine that it was given at.
  takeTree('agent', join(paths.state_dir, 'agent'), (name) => name === 'allow-removals')
  for (const username of accounts) {
    const file = join(spool.crontabs, username)
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) take('cron', username, file)
  }
  const directory = `${dirname(config.file)}/`
  for (const file of [...besideConfig(config), ...namedFiles(config)]) {
    if (taken.has(file)) continue
    if (file.startsWith(directory)) take('config', file.slice(directory.length), file)
    else take('named', `${files.length}-${basename(file)}`, file, { path: file })
  }
  return { files, leftOut }
}
