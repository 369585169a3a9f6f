import { parseFileMode } from '../../domain/files/file-mode.ts'
import { parseHomePath, parsePathBelowHome } from '../../domain/files/home-path.ts'
import { invalid } from '../../errors.ts'
import type { FileContent, FileEntry } from '../../ports/host/files.ts'
import { openFile, uploadFile } from './transfer.ts'
import type { OpenFile } from './transfer.ts'
import { requireActiveAccount, requireSettledAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createPurgeTouched } from './touched-sites.ts'

/** Files of an account; every path is relative to its home. Errors as in `ports/files`. */
export interface Files {
  /** `path` may be the home itself. */
  list(accountId: number, path: string): Promise<FileEntry[]>
  /** 413 over 10 MiB; `open` has no limit. */
  read(accountId: number, path: string): Promise<FileContent>
  /** At most `MAX_EDIT_BYTES`, which is for the caller to see to; `upload` has no limit. */
  write(
    accountId: number,
    path: string,
    content: string,
    encoding: 'utf8' | 'base64',
  ): Promise<FileEntry>
  /** With missing parents. */
  mkdir(accountId: number, path: string): Promise<FileEntry>
  /** 400 for setuid, setgid and sticky bits. */
  chmod(accountId: number, path: string, mode: string): Promise<FileEntry>
  /** With all that is in it. 400 for the home itself. */
  delete(accountId: number, path: string): Promise<void>
  /** Writes a stream of any size; what is at `path` stays until all of it has come. */
  upload(accountId: number, path: string, content: AsyncIterable<Uint8Array>): Promise<FileEntry>
  /** For reading in parts. */
  open(accountId: number, path: string): Promise<OpenFile>
  /** 409 where something is at `to`. */
  move(accountId: number, path: string, to: string): Promise<FileEntry>
  /** 409 where something is at `to`. */
  copy(accountId: number, path: string, to: string): Promise<FileEntry>
  /** A new `.tar.gz` at `to`. 400 where two paths end in the same name. */
  archive(
    accountId: number,
    paths: readonly string[],
    to: string,
  ): Promise<{ entry: FileEntry; entries: number; skipped: number }>
  /** A `.tar.gz`, `.tar` or `.zip` into the directory `to`: all of it or nothing. */
  extract(
    accountId: number,
    path: string,
    to: string,
    overwrite: boolean,
  ): Promise<{ entries: number }>
}

/** Largest file that the editor reads and writes, in bytes. */
export const MAX_EDIT_BYTES = 10 * 2 ** 20

/** What changes files makes the pages of the sites that they belong to new, before it resolves. */
export const createFiles = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'log' | 'homeBase'>,
): Files => {
  const { store, host } = deps
  const purgeTouched = createPurgeTouched(deps)
  /** Half-done work has changed files too. */
  const changing = async <T>(
    accountId: number,
    paths: readonly string[],
    work: Promise<T>,
  ): Promise<T> => {
    try {
      return await work
    } finally {
      await purgeTouched(accountId, paths)
    }
  }
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
      const place = { username, path: normalised }
      const work = host.files.write({ ...place, content, encoding })
      return changing(accountId, [normalised], work)
    },
    async mkdir(accountId, path) {
      const normalised = parsePathBelowHome(path)
      return host.files.mkdir({ username: await usernameOf(accountId), path: normalised })
    },
    async chmod(accountId, path, mode) {
      const normalised = parsePathBelowHome(path)
      const bits = parseFileMode(mode)
      const username = await usernameOf(accountId)
      const work = host.files.chmod({ username, path: normalised, mode: bits })
      return changing(accountId, [normalised], work)
    },
    async upload(accountId, path, content) {
      const normalised = parsePathBelowHome(path)
      const { username } = await requireActiveAccount(store, accountId)
      const work = uploadFile(host.files, { username, path: normalised }, content)
      return changing(accountId, [normalised], work)
    },
    async open(accountId, path) {
      const normalised = parsePathBelowHome(path)
      const username = await usernameOf(accountId)
      return openFile(host.files, { username, path: normalised })
    },
    async move(accountId, path, to) {
      const places = { path: parsePathBelowHome(path), to: parsePathBelowHome(to, 'to') }
      const work = host.files.move({ username: await usernameOf(accountId), ...places })
      return changing(accountId, [places.path, places.to], work)
    },
    async copy(accountId, path, to) {
      const places = { path: parsePathBelowHome(path), to: parsePathBelowHome(to, 'to') }
      const work = host.files.copy({ username: await usernameOf(accountId), ...places })
      return changing(accountId, [places.to], work)
    },
    async archive(accountId, paths, to) {
      const all = paths.map((one) => parsePathBelowHome(one, 'paths'))
      const names = new Set(all.map((one) => one.slice(one.lastIndexOf('/') + 1)))
      if (names.size < all.length)
        throw invalid(
          'paths',
          'paths: two of them end in the same name. Pack their folder instead.',
        )
      const place = parsePathBelowHome(to, 'to')
      return host.files.archive({ username: await usernameOf(accountId), paths: all, to: place })
    },
    async extract(accountId, path, to, overwrite) {
      const places = { path: parsePathBelowHome(path), to: parseHomePath(to, 'to') }
      const username = await usernameOf(accountId)
      const work = host.files.extract({ username, ...places, overwrite })
      return changing(accountId, [places.to], work)
    },
    async delete(accountId, path) {
      const normalised = parsePathBelowHome(path)
      const username = await usernameOf(accountId)
      const work = host.files.delete({ username, path: normalised })
      await changing(accountId, [normalised], work)
    },
  }
}
