import { createEntryRules } from '../../archives/entry-rules.ts'
import { packHome } from './home-tar.ts'
import type { HomeOwner } from './home-tar.ts'
import type { createSkipped } from './skipped.ts'
import { readTar, textOf } from '../../archives/tar-reader.ts'
import type { TarEntry, TarLimits } from '../../archives/tar-reader.ts'

/** Gives the members of a home, by names below it and judged, one after the other, and counts what it leaves out. */
export type HomeSource = (
  put: (entry: TarEntry, content: AsyncIterable<Buffer>) => Promise<void>,
  skipped: ReturnType<typeof createSkipped>,
) => Promise<void>

/** The home of an account as it is on this host, read as that account; `gently`: when nothing else needs the disk. */
export const livingHome =
  (owner: HomeOwner, limits: TarLimits, gently = false): HomeSource =>
  async (put, skipped) => {
    const rules = createEntryRules(owner.home)
    const home = packHome(owner, skipped.hear, gently)
    try {
      await readTar(home as AsyncIterable<Buffer>, limits, async (entry, content) => {
        // The home itself.
        if (entry.name === '' || entry.name === '.') return
        if (entry.type === 'other' || rules.problem(entry) !== null) skipped.add(textOf(entry.name))
        else await put(entry, content)
      })
    } finally {
      home.destroy()
    }
  }
