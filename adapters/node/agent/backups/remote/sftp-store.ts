import { PassThrough } from 'node:stream'
import type SftpClient from 'ssh2-sftp-client'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { isAppError, notFound } from '#handlers/errors.ts'
import { targetFailure } from './target-failure.ts'
import { listSftpDirectory } from './list-sftp-directory.ts'
import type { RemoteStore } from './remote-store.ts'
import { connectSftp } from './sftp-connect.ts'
import type { SftpAccess } from './sftp-connect.ts'

const NO_SUCH_FILE = 2

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === NO_SUCH_FILE || error.code === 'ENOENT')

/** A directory on an SFTP server whose key is known. */
export const createSftpStore = (name: string, access: SftpAccess): RemoteStore => {
  const failed = (error: unknown): Error =>
    isAppError(error) ? error : targetFailure(name, error, access)

  const connect = async (): Promise<SftpClient> => {
    try {
      return await connectSftp(name, access)
    } catch (error) {
      throw failed(error)
    }
  }
  const withClient = async <T>(work: (client: SftpClient) => Promise<T>): Promise<T> => {
    const client = await connect()
    try {
      return await work(client)
    } catch (error) {
      throw failed(error)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  const pathOf = (file: string): string => `${trimEndOf(access.path, '/')}/${file}`

  return {
    put: (file, path) =>
      withClient(async (client) => {
        const partial = `${pathOf(file)}.partial`
        if ((await client.exists(access.path)) === false) await client.mkdir(access.path, true)
        await client.put(path, partial, { writeStreamOptions: { mode: 0o600 } })
        await client.posixRename(partial, pathOf(file))
      }),
    async open(file, range) {
      const client = await connect()
      const out = new PassThrough()
      const options = range ? { start: range.offset, end: range.offset + range.length - 1 } : {}
      try {
        const { size } = await client.stat(pathOf(file))
        if (range && range.offset >= size) {
          await client.end()
          return out.end()
        }
      } catch (error) {
        await client.end().catch(() => undefined)
        if (isMissing(error)) throw notFound(`The backup is not at the target "${name}" any more.`)
        throw failed(error)
      }
      client
        .get(pathOf(file), out, { readStreamOptions: { ...options, autoClose: true } })
        .catch((error: unknown) => out.destroy(failed(error)))
        .finally(() => client.end().catch(() => undefined))
      return out
    },
    remove: (file) =>
      withClient(async (client) => {
        for (const path of [`${pathOf(file)}.partial`, pathOf(file)])
          await client.delete(path, true)
      }),
    removeFolder: (folder) =>
      withClient(async (client) => {
        if ((await client.exists(pathOf(folder))) === 'd') await client.rmdir(pathOf(folder), true)
      }),
    list: (prefix, isWanted = () => true) =>
      withClient(async (client) => {
        if ((await client.exists(access.path)) === false) return []
        return listSftpDirectory(client, access.path, (file) =>
          file.startsWith(prefix) ? isWanted(file) : false,
        )
      }),
  }
}
