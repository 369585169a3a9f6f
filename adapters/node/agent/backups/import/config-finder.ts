import {
  MAX_CONFIGS,
  MAX_CONFIGS_BYTES,
  MAX_CONFIG_BYTES,
  isKnownConfig,
  isPlainHome,
} from '#handlers/domain/backups/known-configs.ts'
import type { NamedHome } from '#handlers/domain/backups/known-configs.ts'
import { replaceHome } from '#handlers/domain/backups/replace-home.ts'
import { textOf } from '../../../archives/tar-reader.ts'
import type { TarEntry } from '../../../archives/tar-reader.ts'
import { contentOf } from '../verify-archive.ts'

/** Finds, while an archive is read, the configuration files of its home that name a home of there. */
export const createConfigFinder = (otherHomes: readonly string[]) => {
  let homes: string[] = []
  let left = MAX_CONFIGS_BYTES
  const found: NamedHome[] = []
  return {
    found,
    homes: (): string[] => homes,
    /** To be told the archive's own home before `look`. */
    begin(own: string | null): void {
      const all = [...(own === null ? [] : [own]), ...otherHomes]
      homes = [...new Set(all)].filter(isPlainHome).slice(0, 4)
    },
    /** Reads a file where it is such a configuration, within bounds; else leaves it unread. */
    async look(entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
      const { name, sizeBytes, type } = entry
      if (type !== 'file' || homes.length === 0 || found.length >= MAX_CONFIGS) return
      if (sizeBytes > MAX_CONFIG_BYTES || sizeBytes > left) return
      if (!isKnownConfig(name.slice(name.lastIndexOf('/') + 1))) return
      left -= sizeBytes
      const text = (await contentOf(content, MAX_CONFIG_BYTES)).toString('latin1')
      const paths = homes.reduce((sum, home) => sum + replaceHome(text, home, home).count, 0)
      if (paths > 0) found.push({ path: textOf(name), paths })
    },
  }
}
