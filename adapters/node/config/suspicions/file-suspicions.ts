import { accessSync, constants, statSync } from 'node:fs'
import type { ConfigProblem } from '#handlers/domain/config/config-types.ts'
import { problemAt } from '#handlers/domain/config/problems.ts'
import { NO_ROOT } from '#handlers/domain/config/vhost-config-parse.ts'
import type { PlacedConfig } from '../config-loader.ts'

/** What this user meets at a path. */
const meet = (path: string, mode: number): 'fine' | 'missing' | 'closed' => {
  try {
    accessSync(path, mode)
    return 'fine'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'closed'
  }
}

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return true
  }
}

const PANEL_FILES = [
  'setup_token_file',
  'store_ca_file',
  'license_file',
  'license_public_key_file',
  'acme_ca_file',
] as const

/** Document roots that are gone or closed, and files that this user cannot read. */
export const fileSuspicions = ({ config, main, hosts }: PlacedConfig): ConfigProblem[] => {
  const found: ConfigProblem[] = []
  for (const key of PANEL_FILES) {
    const path = config.panel[key]
    if (path !== null && meet(path, constants.R_OK) === 'closed')
      found.push(problemAt(main.place, ['panel', key], `"${path}" cannot be read by this user.`))
  }
  for (const { host, at, place } of hosts) {
    if (host.root === NO_ROOT || host.suspended) continue
    const say = (message: string): void => {
      found.push(problemAt(place, [...at, 'root'], `"${host.root}" ${message}`))
    }
    const state = meet(host.root, constants.R_OK | constants.X_OK)
    if (state === 'missing') say(`of ${host.domain} does not exist. Make it, or choose another.`)
    else if (state === 'fine' && !isDirectory(host.root)) say('is no directory. Choose another.')
    else if (state === 'closed' && host.username === null)
      say('may not be entered by this user. Check the modes of it and the directories above.')
  }
  return found
}
