import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { at, openPlace, self, withFd } from './at.ts'
import { statOrNull } from './resolve.ts'
import type { Home } from './resolve.ts'
import { renameOwn } from './restore/rename-own.ts'

/** Working directories of restores, and what is kept of before; they stay where they are. */
export const STAGING_PREFIX = '.berth-restore-'
/** Made when the old content is out of the way: from then on, what lies in the home is not old. */
const MOVED = 'moved'

const namesIn = (fd: number): Buffer[] => readdirSync(self(fd), { encoding: 'buffer' })
const namesOfHome = (home: Home): Buffer[] =>
  namesIn(home.fd).filter((name) => !name.toString('latin1').startsWith(STAGING_PREFIX))

const ensure = (fd: number, name: string): void => {
  if (statOrNull(fd, name) === null) mkdirSync(at(fd, name), { mode: 0o700 })
}

/** Renames; what the account's programs put in the place meanwhile is moved aside, into `aside`. */
const move = (from: number, name: Buffer, to: number, aside: number): void => {
  try {
    renameOwn(at(from, name), at(to, name))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EISDIR'].includes(String(code))) throw error
    renameOwn(at(to, name), at(aside, `late-${randomBytes(8).toString('hex')}`))
    renameOwn(at(from, name), at(to, name))
  }
}

const withStaging = (
  home: Home,
  staging: string,
  work: (fds: { root: number; fresh: number; old: number }) => void,
): void =>
  withFd(openPlace(at(home.fd, staging)), (root) => {
    ensure(root, 'new')
    ensure(root, 'old')
    withFd(openPlace(at(root, 'new')), (fresh) =>
      withFd(openPlace(at(root, 'old')), (old) => work({ root, fresh, old })),
    )
  })

/**
 * Puts what lies in `<staging>/new` into the home, and what was there into
 * `<staging>/old`: renames alone, so nothing is lost wherever it is interrupted;
 * it may be repeated, and `swapBack` reverts it from any point.
 */
export const swapIn = (home: Home, staging: string): void =>
  withStaging(home, staging, ({ root, fresh, old }) => {
    if (statOrNull(root, MOVED) === null) {
      for (const name of namesOfHome(home)) move(home.fd, name, old, root)
      mkdirSync(at(root, MOVED), { mode: 0o700 })
    }
    for (const name of namesIn(fresh)) move(fresh, name, home.fd, root)
  })

/** Puts back what `swapIn` took out of the home; no effect when it has not begun. */
export const swapBack = (home: Home, staging: string): void => {
  if (statOrNull(home.fd, staging) === null) return
  withStaging(home, staging, ({ root, fresh, old }) => {
    if (statOrNull(root, MOVED) !== null) {
      for (const name of namesOfHome(home)) move(home.fd, name, fresh, root)
      // From here on what lies in the home is old again, also when this is repeated.
      rmdirSync(at(root, MOVED))
    }
    for (const name of namesIn(old)) move(old, name, home.fd, root)
  })
}
