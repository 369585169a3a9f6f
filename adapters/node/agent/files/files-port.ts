import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { parseFileMode } from '#handlers/domain/files/file-mode.ts'
import { parseHomePath, parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { AppError, invalid } from '#handlers/errors.ts'
import type { FileEntry, FilesPort } from '#handlers/ports/host/files.ts'
import { ownUserName } from '../../process/own-user-name.ts'
import { createKeyedMutex } from '../keyed-mutex.ts'
import type { RegisteredAccount, Registry } from '../registry/types.ts'
import type { HelperFacts } from './helper-messages.ts'
import type { HelperPool } from './helper-pool.ts'
import { QuotaError } from './helper-process.ts'
import type { DiskUsage } from './disk-usage-cache.ts'
import { createTreeOperations } from './tree-operations.ts'
import { textContent } from './text-content.ts'
import { knownAccount } from '../registry/known-account.ts'

/** Largest content of one write or read; larger files go by upload and download. */
export const MAX_CONTENT_BYTES = 64 * 2 ** 20
/** Deleting a tree of a million files. */
const DELETE_TIMEOUT_MS = 600_000

const usedUp = (): QuotaError =>
  new QuotaError(413, "The account's disk quota is used up. Delete files or raise it.")

const LAST_MS = Date.UTC(9999, 11, 31)
/** Tenants set any time on their files; dates beyond four-digit years are shown as their limits. */
const shownTime = (ms: number): string =>
  timestamp(Math.min(Math.max(Number.isFinite(ms) ? ms : 0, 0), LAST_MS))

const ownerName = (uid: number, account: RegisteredAccount): string => {
  // Without root every account's files belong to the user who runs Berth.
  if (uid !== 0 && uid === process.getuid?.()) return ownUserName()
  if (uid === account.uid) return account.username
  return uid === 0 ? 'root' : String(uid)
}

const entryOf = (account: RegisteredAccount, path: string, facts: HelperFacts): FileEntry => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
  type: facts.type,
  size: facts.sizeBytes,
  permissions: facts.mode.toString(8).padStart(4, '0'),
  modified_at: shownTime(facts.mtimeMs),
  owner: ownerName(facts.uid, account),
})

const bytesOf = (content: string, encoding: 'utf8' | 'base64'): Uint8Array => {
  if (encoding === 'utf8') {
    if (!content.isWellFormed())
      throw invalid('content', 'content is not valid Unicode. Send binary content as base64.')
    return Buffer.from(content, 'utf8')
  }
  const bytes = Buffer.from(content, 'base64')
  if (trimEndOf(bytes.toString('base64'), '=') !== trimEndOf(content, '='))
    throw invalid('content', 'content is not valid base64.')
  return bytes
}

/** Files of accounts in the registry, each operation done by a helper that runs as the account. */
export const createFilesPort = (deps: {
  registry: Pick<Registry, 'account'>
  helpers: HelperPool
  usage: DiskUsage
}): FilesPort => {
  const { registry, helpers, usage } = deps
  /** Writes of one account in turn, or two that fit alone would together pass the quota. */
  const inTurn = createKeyedMutex()

  const known = (username: string): RegisteredAccount => {
    const account = knownAccount(registry, username)
    return account
  }

  const growing = <T>(
    account: RegisteredAccount,
    work: (availableBytes: number | null) => Promise<T>,
  ): Promise<T> =>
    inTurn(account.username, async () => {
      try {
        return await work(await usage.availableBytes(account))
      } catch (error) {
        // The count may be old, and files were deleted since.
        if (!(error instanceof QuotaError) || !usage.forget(account.username)) throw error
        return work(await usage.availableBytes(account))
      }
    })

  return {
    list: async (input) => {
      const account = known(input.username)
      const path = parseHomePath(input.path)
      const { data } = await helpers.ask(account, { op: 'list', path })
      const prefix = path === '' ? '' : `${path}/`
      return data
        .map((facts) => entryOf(account, prefix + facts.name, facts))
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    },
    read: async (input) => {
      const account = known(input.username)
      const path = parsePathBelowHome(input.path)
      const maxBytes = Math.min(input.maxBytes, MAX_CONTENT_BYTES)
      const { data, body } = await helpers.ask(account, { op: 'read', path, maxBytes })
      if (body.length > maxBytes) throw new AppError(413, `"${path}" is too large to be read.`)
      return {
        path,
        ...textContent(body),
        size: body.length,
        modified_at: shownTime(data.mtimeMs),
      }
    },
    write: async (input) => {
      const account = known(input.username)
      const path = parsePathBelowHome(input.path)
      const body = bytesOf(input.content, input.encoding)
      if (body.length > MAX_CONTENT_BYTES)
        throw new AppError(413, `content is larger than ${MAX_CONTENT_BYTES} bytes.`, {
          field: 'content',
        })
      return growing(account, async (availableBytes) => {
        const { data } = await helpers.ask(account, { op: 'write', path, availableBytes }, { body })
        usage.grew(account.username, data.grownBytes)
        return entryOf(account, path, data.facts)
      })
    },
    mkdir: async (input) => {
      const account = known(input.username)
      const path = parsePathBelowHome(input.path)
      return growing(account, async (availableBytes) => {
        if (availableBytes !== null && availableBytes <= 0) throw usedUp()
        const { data } = await helpers.ask(account, { op: 'mkdir', path })
        return entryOf(account, path, data)
      })
    },
    chmod: async (input) => {
      const account = known(input.username)
      const path = parsePathBelowHome(input.path)
      const mode = parseInt(parseFileMode(input.mode), 8)
      const { data } = await helpers.ask(account, { op: 'chmod', path, mode })
      return entryOf(account, path, data)
    },
    beginUpload: async (input) => {
      const account = known(input.username)
      const path = parsePathBelowHome(input.path)
      const available = await growing(account, (availableBytes) => Promise.resolve(availableBytes))
      if (available !== null && available <= 0) throw usedUp()
      return { token: (await helpers.ask(account, { op: 'beginUpload', path })).data }
    },
    appendUpload: async (input) => {
      const account = known(input.username)
      const { token, offset } = input
      const path = parsePathBelowHome(input.path)
      const body = Buffer.from(input.content, 'base64')
      await growing(account, async (availableBytes) => {
        const request = { op: 'appendUpload', path, token, offset, availableBytes } as const
        await helpers.ask(account, request, { body })
        usage.grew(account.username, body.length)
      })
    },
    endUpload: async (input) => {
      const account = known(input.username)
      const { token, size } = input
      const path = parsePathBelowHome(input.path)
      const { data } = await helpers.ask(account, { op: 'endUpload', path, token, size })
      usage.grew(account.username, -data.replacedBytes)
      return entryOf(account, path, data.facts)
    },
    abortUpload: async (input) => {
      const account = known(input.username)
      const path = parsePathBelowHome(input.path)
      await helpers.ask(account, { op: 'abortUpload', path, token: input.token })
      usage.forget(account.username)
    },
    readPart: async ({ username, offset, length, identity, ...input }) => {
      const account = known(username)
      const path = parsePathBelowHome(input.path)
      const request = { op: 'readPart', path, offset, length, identity } as const
      const { data, body } = await helpers.ask(account, request)
      if (body.length > length) throw new AppError(413, `"${path}" is too large to be read.`)
      return {
        content: body.toString('base64'),
        size: data.facts.sizeBytes,
        modified_at: shownTime(data.facts.mtimeMs),
        identity: data.identity,
      }
    },
    move: async (input) => {
      const account = known(input.username)
      const path = parsePathBelowHome(input.path)
      const to = parsePathBelowHome(input.to)
      return entryOf(account, to, (await helpers.ask(account, { op: 'move', path, to })).data)
    },
    ...createTreeOperations({ known, growing, entryOf, helpers, usage }),
    delete: async (input) => {
      const account = known(input.username)
      const path = parseHomePath(input.path)
      if (path === '') throw invalid('path', 'The home directory itself cannot be deleted.')
      await helpers.ask(account, { op: 'delete', path }, { timeoutMs: DELETE_TIMEOUT_MS })
      usage.forget(account.username)
    },
  }
}
