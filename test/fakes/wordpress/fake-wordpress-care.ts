import { conflict } from '#handlers/errors.ts'
import type {
  ReplacedAddress,
  WordpressCarePort,
  WordpressIntegrity,
  WordpressSettings,
} from '#handlers/ports/host/wordpress/wordpress-care.ts'
import type { FakeWordpress } from './fake-wordpress.ts'

export interface FakeWordpressCare extends WordpressCarePort {
  /** By `<username>/<path>`. */
  settingsOf: Map<string, WordpressSettings>
  /** Passwords that were set, by id. */
  passwords: Map<number, string>
  /** What every WordPress is found to be. */
  found: WordpressIntegrity
  replaced: (Parameters<WordpressCarePort['replaceAddress']>[0] & ReplacedAddress)[]
}

/** Looks after what is told to be there, by noting what it was asked. */
export const createFakeWordpressCare = (wordpress: FakeWordpress): FakeWordpressCare => {
  const settingsOf = new Map<string, WordpressSettings>()
  const keyOf = ({ username, path }: { username: string; path: string }): string => {
    if (!(wordpress.installed.get(username) ?? []).some((one) => one.path === path))
      throw conflict('WordPress: No WordPress is in that folder.')
    return `${username}/${path}`
  }
  const usual = { debug: false, withoutCron: false }
  const fake: FakeWordpressCare = {
    settingsOf,
    passwords: new Map(),
    found: { checked: 3000, changed: ['wp-login.php'], missing: [], added: [], cut: false },
    replaced: [],
    settings: async (place) => settingsOf.get(keyOf(place)) ?? usual,
    async configure({ username, path, ...change }) {
      const key = keyOf({ username, path })
      const now = { ...usual, ...settingsOf.get(key), ...change }
      settingsOf.set(key, now)
      return now
    },
    async setPassword({ user, password, ...place }) {
      keyOf(place)
      fake.passwords.set(user, password)
    },
    async integrity(place) {
      keyOf(place)
      return fake.found
    },
    async replaceAddress(order) {
      keyOf(order)
      const counts = { rows: 3, values: 4, skipped: [] }
      fake.replaced.push({ ...order, ...counts })
      return counts
    },
  }
  return fake
}
