import { unavailable } from '#handlers/errors.ts'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import { defaultPhpVersion, detectPhp } from '../../machine/find-php.ts'
import type { InstalledPhp, PhpPlaces } from '../../machine/find-php.ts'
import { MODE_PLANS } from './masters/plan-master.ts'
import type { PoolChoice } from './masters/pool-choice.ts'

/** Ways to run PHP, the preferred one first; those without a backend do not count as installed. */
const MODES: readonly PhpMode[] = ['fpm', 'cgi', 'lsapi']
const KEPT_MS = 10_000

export const usableModes = ({ binaries }: InstalledPhp): PhpMode[] =>
  MODES.filter((mode) => MODE_PLANS[mode] !== undefined && binaries[mode] !== undefined)

/** The host's PHP, looked for at most every ten seconds. */
export interface Installations {
  all(): Promise<InstalledPhp[]>
  /** The next `all` looks again. */
  forget(): void
  /** The server's own version among those last found; empty when there is none. */
  preferred(): string
  /** 503 where the version or its mode is not installed. */
  for(choice: PoolChoice): Promise<InstalledPhp>
}

export const createInstallations = (
  places: PhpPlaces | undefined,
  defaultVersion: string | null,
): Installations => {
  let detected: { atMs: number; installed: InstalledPhp[] } | null = null

  const all = async (): Promise<InstalledPhp[]> => {
    if (!detected || performance.now() - detected.atMs > KEPT_MS)
      detected = { atMs: performance.now(), installed: await detectPhp(places) }
    return detected.installed
  }
  return {
    all,
    forget: () => void (detected = null),
    preferred: () => defaultPhpVersion(detected?.installed ?? [], defaultVersion) ?? '',
    async for({ version, mode }) {
      const php = (await all()).find((candidate) => candidate.version === version)
      if (php === undefined || !usableModes(php).includes(mode))
        throw unavailable(
          `PHP ${version} is not installed for mode ${mode}. Install php${version}-${mode} or choose another version or mode.`,
        )
      return php
    },
  }
}
