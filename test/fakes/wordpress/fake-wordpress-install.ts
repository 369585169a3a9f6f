import { conflict } from '#handlers/errors.ts'
import type {
  NewWordpress,
  WordpressInstallPort,
} from '#handlers/ports/host/wordpress/wordpress-install.ts'
import type { FakeOperations } from '../operations.ts'
import { foundWordpress, type FakeWordpress } from './fake-wordpress.ts'

export interface FakeWordpressInstall extends WordpressInstallPort {
  /** By operation. */
  made: Map<string, NewWordpress>
}

/** Installs by noting it; a folder is taken where a WordPress is in it. */
export const createFakeWordpressInstall = (
  operations: FakeOperations,
  wordpress: FakeWordpress,
): FakeWordpressInstall => {
  const made = new Map<string, NewWordpress>()
  const at = (username: string) => wordpress.installed.get(username) ?? []
  const judge = (username: string, path: string): void => {
    if (at(username).some((one) => one.path === path))
      throw conflict(`The folder "${path}" holds "index.php".`)
  }
  return {
    made,
    assertFree: async ({ username, path }) => judge(username, path),
    install: async (order) =>
      operations.run(order.operationId, 'wordpress.install', order.username, () => {
        const { username, path, version } = order
        judge(username, path)
        const { hostname, pathname } = new URL(order.url)
        const found = foundWordpress(hostname, version)
        const directory = pathname.slice(1, -1)
        wordpress.installed.set(username, [...at(username), { ...found, path, directory }])
        made.set(order.operationId, order)
        return { version }
      }),
    async uninstall({ username, path, installId }) {
      if (!made.delete(installId)) return
      wordpress.installed.set(
        username,
        at(username).filter((one) => one.path !== path),
      )
    },
  }
}
