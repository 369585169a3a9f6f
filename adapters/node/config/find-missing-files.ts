import { statSync } from 'node:fs'
import type { ConfigProblem } from '#handlers/domain/config/config-types.ts'
import type { ParsedMainFile, PlacedVirtualHost } from '#handlers/domain/config/server-config.ts'
import { NO_ROOT } from '#handlers/domain/config/vhost-config-parse.ts'
import { problemAt } from '#handlers/domain/config/problems.ts'

/** Whether nothing lies at `path`. What this user may not look at counts as there. */
const isMissing = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

const PANEL_FILES = [
  'setup_token_file',
  'store_password_file',
  'store_ca_file',
  'license_file',
  'license_public_key_file',
  'acme_ca_file',
  'acme_eab_key_file',
  'acme_fallback_eab_key_file',
  'tls_certificate',
  'tls_certificate_key',
] as const

/**
 * Files that a person named and that are not there. Generated hosts are left
 * out: their owner may remove a directory at any time, and that must not keep
 * everyone else's sites from loading.
 */
export const findMissingFiles = (
  main: ParsedMainFile,
  hosts: readonly PlacedVirtualHost[],
): ConfigProblem[] => {
  const problems: ConfigProblem[] = []
  const { panel } = main.config
  for (const key of PANEL_FILES) {
    const path = panel[key]
    if (path !== null && isMissing(path))
      problems.push(problemAt(main.place, ['panel', key], `"${path}" does not exist.`))
  }
  for (const key of ['password_file', 'ca_file'] as const) {
    const path = main.config.mail[key]
    if (path !== null && isMissing(path))
      problems.push(problemAt(main.place, ['mail', key], `"${path}" does not exist.`))
  }
  main.config.remote_target.forEach((target, index) => {
    for (const key of ['secret_key_file', 'password_file', 'private_key_file'] as const) {
      const path = target[key]
      if (path !== null && isMissing(path))
        problems.push(
          problemAt(main.place, ['remote_target', index, key], `"${path}" does not exist.`),
        )
    }
  })
  for (const { host, at, place } of hosts) {
    if (host.username !== null) continue
    for (const key of ['root', 'ssl_certificate', 'ssl_certificate_key'] as const) {
      const path = host[key]
      if (path !== null && path !== NO_ROOT && isMissing(path))
        problems.push(problemAt(place, [...at, key], `"${path}" does not exist.`))
    }
  }
  return problems
}
