import { conflict, invalid } from '#handlers/errors.ts'
import type {
  NewWordpressCopy,
  WordpressCopyPort,
  WordpressPush,
  WordpressSurvey,
  WordpressTable,
} from '#handlers/ports/host/wordpress/wordpress-copy.ts'
import type { FoundWordpress } from '#handlers/ports/host/wordpress/wordpress.ts'
import type { FakeOperations } from '../operations.ts'
import type { FakeWordpress } from './fake-wordpress.ts'

export interface FakeWordpressCopy extends WordpressCopyPort {
  /** By operation. */
  made: Map<string, NewWordpressCopy>
  /** Pushes whose former state is kept, with the version that the site had. */
  kept: Map<string, string | null>
  pushed: WordpressPush[]
  /** What sites fail with after a push; null: they do not. */
  fails: string | null
  databaseOf: (username: string) => string
  /** Of every site. */
  tables: WordpressTable[]
  network: WordpressSurvey['network']
}

const table = (name: string): WordpressTable => ({ name, rows: 1, bytes: 16_384, bound_to: [] })

/** Copies by noting it; what a push brings is the version of the copy. */
export const createFakeWordpressCopy = (
  operations: FakeOperations,
  wordpress: FakeWordpress,
): FakeWordpressCopy => {
  const at = (username: string) => wordpress.installed.get(username) ?? []
  const found = (username: string, path: string): FoundWordpress => {
    const one = at(username).find((each) => each.path === path)
    if (one === undefined) throw conflict('WordPress: No WordPress is in that folder.')
    return one
  }
  const fake: FakeWordpressCopy = {
    made: new Map(),
    kept: new Map(),
    pushed: [],
    fails: null,
    databaseOf: (username) => `${username}_wp`,
    tables: [table('wp_options'), table('wp_posts')],
    network: null,
    async survey({ username, path }) {
      found(username, path)
      const database = fake.databaseOf(username)
      const { tables, network } = fake
      return { bytes: 1000, files: 3, database, prefix: 'wp_', tables, network }
    },
    copy: async (order) =>
      operations.run(order.copyId, 'wordpress.copy', order.to.username, () => {
        const { from, to, staging } = order
        const source = found(from.username, from.path)
        if (at(to.username).some((one) => one.path === to.path))
          throw conflict(`The folder "${to.path}" holds "index.php".`)
        const { hostname, pathname } = new URL(to.url)
        const copy = {
          ...source,
          domain: hostname,
          path: to.path,
          directory: pathname.slice(1, -1),
        }
        const staging_of = staging ? from.path : null
        wordpress.installed.set(to.username, [...at(to.username), { ...copy, staging_of }])
        fake.made.set(order.copyId, order)
      }),
    async remove({ username, path, copyId }) {
      if (!fake.made.delete(copyId)) return
      wordpress.installed.set(
        username,
        at(username).filter((one) => one.path !== path),
      )
    },
    async push(order) {
      const { username, pushId, from, to, tables } = order
      const copy = found(username, from.path)
      const live = found(username, to.path)
      const missing = tables.find((name) => !fake.tables.some((one) => one.name === name))
      if (missing !== undefined) throw invalid('tables', `tables: there is no ${missing}.`)
      if (fake.fails !== null) throw conflict(fake.fails)
      if (!fake.kept.has(pushId)) fake.kept.set(pushId, live.version)
      if (order.files) live.version = copy.version
      fake.pushed.push(order)
    },
    async revert({ username, pushId, to }) {
      const before = fake.kept.get(pushId)
      if (before !== undefined) found(username, to.path).version = before
      fake.kept.delete(pushId)
    },
    async settle({ pushId }) {
      fake.kept.delete(pushId)
    },
  }
  return fake
}
