import { chmodSync, chownSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { freePorts } from './free-ports.ts'
import { addDatabases, addCompiledSources } from './instance-templates.ts'
import { testCache } from './test-cache.ts'

export interface InstanceOptions {
  /** Run it as a normal user (rootless mode) instead of root. */
  asUid?: number
  /** Lines added to a section, e.g. `{ server: 'workers = 1' }`. */
  settings?: Partial<Record<'panel' | 'server' | 'php' | 'cache' | 'databases' | 'ssl', string>>
  /** Port of the sites, where something must know it beforehand. Default: a free one. */
  httpPort?: number
  /** Words that stand before the supervisor's command line, e.g. of a sandbox. */
  under?: (config: ServerConfig) => readonly string[]
  /** Where its directory is made, which stays when the account rooms take `/tmp` away. Default: the directory for temporary files. */
  parent?: string
  /** Text at the end of the file, e.g. a `[[virtualhost]]`. */
  append?: string
  /** Contents of files beside it by their names; for root alone without a mode. */
  files?: Readonly<Record<string, string | { text: string; mode: number }>>
}

/** Where an instance lives, before it is started. */
export interface InstanceDirectory {
  dir: string
  configFile: string
  installDir: string
  ports: { panel: number; http: number; https: number; api: number }
  asUid: number | null
}

/** Installed copies are shared between tests: they are keyed by content. */
export const SHARED_INSTALL_DIR = testCache('install')

/** Creates the directory (short, so that unix sockets below it fit) and writes its `berth.toml`. */
export const createInstanceDirectory = async (
  options: InstanceOptions,
): Promise<InstanceDirectory> => {
  const dir = mkdtempSync(join(options.parent ?? tmpdir(), 'bi-'))
  chmodSync(dir, 0o755)
  const [panel = 0, freeHttp = 0, https = 0, api = 0] = await freePorts(4)
  const http = options.httpPort ?? freeHttp
  const more = (name: keyof NonNullable<InstanceOptions['settings']>): string =>
    options.settings?.[name] ?? ''
  for (const [name, given] of Object.entries(options.files ?? {})) {
    const { text, mode } = typeof given === 'string' ? { text: given, mode: 0o600 } : given
    writeFileSync(join(dir, name), text, { mode })
  }
  const installDir = SHARED_INSTALL_DIR
  mkdirSync(installDir, { recursive: true, mode: 0o755 })
  const configFile = join(dir, 'berth.toml')
  writeFileSync(
    configFile,
    `[paths]
state_dir = "state"
home_base = "home"
run_dir = "run"
log_dir = "log"
secrets_dir = "state/secrets"
install_dir = ${JSON.stringify(installDir)}

[panel]
listen = "127.0.0.1:${panel}"
${more('panel')}

[server]
listen = "127.0.0.1:${http}"
listen_ssl = "127.0.0.1:${https}"
${more('server')}

[api]
listen = "127.0.0.1:${api}"

[php]
${more('php')}

[cache]
${more('cache').includes('storage =') ? '' : 'storage = "disk"\ndisk_path = "state/cache"'}
${more('cache')}

[ssl]
${more('ssl')}

${options.append?.includes('[wordpress]') === true ? '' : '# Nobody in the internet is asked.\n[wordpress]\nofficial = false'}

[databases]
${more('databases').includes('mariadb =') ? '' : 'mariadb = "managed"'}
${more('databases').includes('postgresql =') ? '' : 'postgresql = "off"'}
${more('databases')}

${options.append ?? ''}
`,
  )
  if (options.asUid === undefined && process.getuid?.() === 0) {
    addCompiledSources(join(dir, 'state'))
    if (!more('databases').includes('mariadb =')) await addDatabases(join(dir, 'state'))
  }
  if (options.asUid !== undefined) {
    chownSync(dir, options.asUid, options.asUid)
    chownSync(configFile, options.asUid, options.asUid)
  }
  return {
    dir,
    configFile,
    installDir,
    ports: { panel, http, https, api },
    asUid: options.asUid ?? null,
  }
}
