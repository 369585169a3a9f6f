import type { PhpVersion } from '#handlers/ports/host/php.ts'

/** Of these, the one whose command line an account of that version has: its own, or the host's default; null where that has none. */
export const commandLine = (
  versions: readonly PhpVersion[],
  version: string | null,
): PhpVersion | null => {
  const found =
    versions.find((one) => one.version === version) ?? versions.find((one) => one.default)
  return found === undefined || found.binary === '' ? null : found
}
