import { parseFileMode } from '../domain/file-mode.ts'
import { parseHomePath, parsePathBelowHome } from '../domain/home-path.ts'
import type { FileContent, FileEntry } from '../ports/files.ts'
import { requireSettledAccount } from './lookup.ts'
import type { ServiceDeps } from './service-deps.ts'

/** Files of an account; every path is relative to its home. Errors as in `ports/files`. */
export interface Files {
  list(accountId: number, path: string): Promise<FileEntry[]>
  read(accountId: number, path: string): Promise<FileContent>
  write(
    accountId: number,
    path: string,
    content: string,
    encoding: 'utf8' | 'base64',
  ): Promise<FileEntry>
  mkdir(accountId: number, path: string): Promise<FileEntry>
  chmod(accountId: number, path: string, mode: string): Promise<FileEntry>
  delete(accountId: number, path: string): Promise<void>
}

/** Largest file that the editor reads and writes, in bytes. */
export const MAX_EDIT_BYTES = 10 * 2 ** 20

export const createFiles = ({ store, host }: Pick<ServiceDeps, 'store' | 'host'>): Files => {
  const usernameOf = async (accountId: number): Promise<string> =>
    (await requireSettledAccount(store, accountId)).username

  return {
    async list(accountId, path) {
      const normalised = parseHomePath(path)
      return host.files.list({ username: await usernameOf(accountId), path: normalised })
    },
    async read(accountId, path) {
      const normalised = parsePathBelowHome(path)
      const username = await usernameOf(accountId)
      return host.files.read({ username, path: normalised, maxBytes: MAX_EDIT_BYTES })
    },
    async write(accountId, path, content, encoding) {
      const normalised = parsePathBelowHome(path)
      const username = await usernameOf(accountId)
      return host.files.write({ username, path: normalised, content, encoding })
    },
    async mkdir(accountId, path) {
      const normalised = parsePathBelowHome(path)
      return host.files.mkdir({ username: await usernameOf(accountId), path: normalised })
    },
    async chmod(accountId, path, mode) {
      const normalised = parsePathBelowHome(path)
      const bits = parseFileMode(mode)
      const username = await usernameOf(accountId)
      return host.files.chmod({ username, path: normalised, mode: bits })
    },
    async delete(accountId, path) {
      const normalised = parsePathBelowHome(path)
      await host.files.delete({ username: await usernameOf(accountId), path: normalised })
    },
  }
}
