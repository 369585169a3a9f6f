import { constants, fchmodSync, lstatSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { chmodSync } from 'node:fs'
import { at, withFd } from './at.ts'
import { statOrNull } from './resolve.ts'
import type { Home } from './resolve.ts'

/** What a new home holds. Only the web server's group and the account pass the home itself. */
const DIRECTORIES: readonly (readonly [string, number])[] = [
  ['public_html', 0o755],
  ['tmp', 0o700],
  ['sessions', 0o700],
  ['logs', 0o750],
]

/** Makes the directories and the placeholder page where they are missing. */
export const populateHome = (home: Home, page: string): void => {
  for (const [name, mode] of DIRECTORIES) {
    if (statOrNull(home.fd, name) === null) mkdirSync(at(home.fd, name))
    if (lstatSync(at(home.fd, name)).isDirectory()) chmodSync(at(home.fd, name), mode)
  }
  const index = at(home.fd, 'public_html/index.html')
  if (statOrNull(home.fd, 'public_html/index.html') !== null) return
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  withFd(openSync(index, flags, 0o644), (fd) => {
    writeSync(fd, page)
    fchmodSync(fd, 0o644)
  })
}
