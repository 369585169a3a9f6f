import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { PassThrough } from 'node:stream'
import type SftpClient from 'ssh2-sftp-client'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { isAppError, notFound, unavailable } from '#handlers/errors.ts'
import { checkHost, guardedLookup } from '../../../process/guarded-lookup.ts'
import type { RemoteStore } from './remote-store.ts'

/** How an SFTP server is reached. */
export interface SftpAccess {
  host: string
  port: number
  username: string
  /** `SHA256:<base64>` of the server's key, as ssh-keygen shows it. */
  hostKey: string
  credentials: { password: string } | { privateKey: string }
  /** Directory on the server. */
  path: string
  allowPrivate: boolean
}

const CONNECT_MS = 20_000
const NO_SUCH_FILE = 2

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === NO_SUCH_FILE || error.code === 'ENOENT')

const isPinned = (key: Buffer, pinned: string): boolean => {
  const have = createHash('sha256').update(key).digest()
  const want = Buffer.from(pinned.replace(/^SHA256:/, ''), 'base64')
  return want.length === have.length && timingSafeEqual(want, have)
}

/** A directory on an SFTP server whose key is known. */
export const createSftpStore = (name: string, access: SftpAccess): RemoteStore => {
  const failed = (error: unknown, why: string | null): Error => {
    if (isAppError(error)) return error
    const said = why ?? (error instanceof Error ? error.message : String(error))
    return unavailable(
      `The backup target "${name}" failed: ${said.slice(0, 300)}. Check its configuration.`,
      error,
    )
  }

  const connect = async (): Promise<SftpClient> => {
    let why: string | null = null
    // Not at the start of the agent, which sites wait for.
    const { default: Client } = await import('ssh2-sftp-client')
    const client = new Client(name, {
      error: () => undefined,
      end: () => undefined,
      close: () => undefined,
    })
    try {
      checkHost(access.host, access.allowPrivate)
      const sock = net.connect({
        host: access.host,
        port: access.port,
        lookup: guardedLookup(access.allowPrivate),
      })
      sock.setTimeout(CONNECT_MS, () => sock.destroy(new Error('it did not answer in time')))
      await once(sock, 'connect')
      sock.on('error', () => undefined)
      await client.connect({
        sock,
        username: access.username,
        ...access.credentials,
        readyTimeout: CONNECT_MS,
        hostVerifier: (key: Buffer) => {
          if (isPinned(key, access.hostKey)) return true
          why = 'the server has another key than host_key says; it may be another server'
          return false
        },
      })
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      throw failed(error, why)
    }
  }
  const withClient = async <T>(work: (client: SftpClient) => Promise<T>): Promise<T> => {
    const client = await connect()
    try {
      return await work(client)
    } catch (error) {
      throw failed(error, null)
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
        throw failed(error, null)
      }
      client
        .get(pathOf(file), out, { readStreamOptions: { ...options, autoClose: true } })
        .catch((error: unknown) => out.destroy(failed(error, null)))
        .finally(() => client.end().catch(() => undefined))
      return out
    },
    remove: (file) =>
      withClient(async (client) => {
        for (const path of [`${pathOf(file)}.partial`, pathOf(file)])
          await client.delete(path, true)
      }),
  }
}
