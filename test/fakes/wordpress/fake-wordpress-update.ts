import { conflict } from '#handlers/errors.ts'
import type { WordpressPlace } from '#handlers/ports/host/wordpress/wordpress-login.ts'
import type { WordpressUpdatePort } from '#handlers/ports/host/wordpress/wordpress-update.ts'
import type { FoundWordpress } from '#handlers/ports/host/wordpress/wordpress.ts'
import type { FakeWordpress } from './fake-wordpress.ts'

export interface FakeWordpressUpdate extends WordpressUpdatePort {
  /** What sites fail with after an exchange, or once their tables were changed; null: they do not. */
  fails: { after: 'exchange' | 'upgrade'; why: string } | null
  /** Versions from before by updates, until they are let go. */
  kept: Map<string, string | null>
  /** How plugins and themes are put back, by updates. */
  undo: Map<string, () => void>
  /** Name of the database of every site, by account. */
  databaseOf: (username: string) => string
}

/** Exchanges the version that is told, and nothing else. */
export const createFakeWordpressUpdate = (wordpress: FakeWordpress): FakeWordpressUpdate => {
  const kept = new Map<string, string | null>()
  const at = ({ username, path }: Pick<WordpressPlace, 'username' | 'path'>): FoundWordpress => {
    const found = (wordpress.installed.get(username) ?? []).find((one) => one.path === path)
    if (found === undefined) throw conflict('WordPress: No WordPress is in that folder.')
    return found
  }
  const fake: FakeWordpressUpdate = {
    fails: null,
    kept,
    undo: new Map(),
    databaseOf: (username) => `${username}_wp`,
    async check(place) {
      at(place)
      return { database: fake.databaseOf(place.username) }
    },
    async exchange({ updateId, version, ...place }) {
      const found = at(place)
      if (fake.fails?.after === 'exchange') throw conflict(fake.fails.why)
      if (!kept.has(updateId)) kept.set(updateId, found.version)
      found.version = version
    },
    async upgrade(place) {
      const { version } = at(place)
      if (fake.fails?.after === 'upgrade') throw conflict(fake.fails.why)
      return { version: version ?? '' }
    },
    async revert({ updateId, ...place }) {
      fake.undo.get(updateId)?.()
      fake.undo.delete(updateId)
      const before = kept.get(updateId)
      if (before !== undefined) at(place).version = before
      kept.delete(updateId)
    },
    async settle({ updateId }) {
      kept.delete(updateId)
      fake.undo.delete(updateId)
    },
  }
  return fake
}
