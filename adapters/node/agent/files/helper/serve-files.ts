import { fstatSync } from 'node:fs'
import { isAppError } from '#handlers/errors.ts'
import type { HelperRequest } from '../helper-messages.ts'
import { createFrameReader, encodeFrame } from '../frames.ts'
import type { Frame } from '../frames.ts'
import { archive } from './archive.ts'
import { openPlace } from './at.ts'
import { copyTree } from './copy-tree.ts'
import { deleteTree, emptyDirectory } from './delete-tree.ts'
import { diskUsage } from './disk-usage.ts'
import { extract } from './extract.ts'
import { move } from './move.ts'
import { readPart } from './read-part.ts'
import { abortUpload, appendUpload, beginUpload, endUpload } from './upload.ts'
import { findWordpress } from './wordpress/find-wordpress.ts'
import { HelperError, fromErrno, noSuchPath } from './helper-error.ts'
import { chmod, ensureDirectory, list, mkdir, read } from './look.ts'
import { populateHome } from './populate-home.ts'
import { statOrNull, withPlaceAsync } from './resolve.ts'
import type { Home } from './resolve.ts'
import {
  arrangeParts,
  exchangeBack,
  exchangeIn,
  handBack,
  handOver,
} from './restore/exchange-parts.ts'
import { pointConfigs } from './restore/point-configs.ts'
import { swapBack, swapIn } from './swap-home.ts'
import { writeFile } from './write-file.ts'

/** The agent checks sizes before it sends; this only bounds memory. */
const MAX_REQUEST_BYTES = 80 * 2 ** 20

interface Result {
  data: unknown
  body?: Buffer
}

const perform = async (home: Home, request: HelperRequest, body: Buffer): Promise<Result> => {
  switch (request.op) {
    case 'list':
      return { data: list(home, request.path) }
    case 'read': {
      const { facts, body: content } = read(home, request.path, request.maxBytes)
      return { data: facts, body: content }
    }
    case 'write':
      return { data: writeFile(home, request.path, body, request.availableBytes) }
    case 'mkdir':
      return { data: mkdir(home, request.path) }
    case 'ensure':
      ensureDirectory(home, request.path)
      return { data: null }
    case 'chmod':
      return { data: chmod(home, request.path, request.mode) }
    case 'delete':
      await withPlaceAsync(home, request.path, { followLast: false }, async ({ dirFd, name }) => {
        if (name === '') throw new HelperError(400, 'The home directory itself cannot be deleted.')
        if (statOrNull(dirFd, name) === null) throw noSuchPath(request.path)
        await deleteTree(dirFd, name)
      })
      return { data: null }
    case 'beginUpload':
      return { data: beginUpload(home, request.path) }
    case 'appendUpload':
      appendUpload(home, request.path, request, body)
      return { data: null }
    case 'endUpload':
      return { data: endUpload(home, request.path, request) }
    case 'abortUpload':
      abortUpload(home, request.path, request.token)
      return { data: null }
    case 'readPart': {
      const { body: content, ...data } = readPart(home, request.path, request)
      return { data, body: content }
    }
    case 'move':
      return { data: move(home, request.path, request.to) }
    case 'copy':
      return { data: await copyTree(home, request.path, request.to, request.availableBytes) }
    case 'archive':
      return { data: await archive(home, request.paths, request.to, request.availableBytes) }
    case 'extract':
      return { data: await extract(home, request.path, request.to, request) }
    case 'populate':
      populateHome(home, request.page)
      return { data: null }
    case 'empty':
      await emptyDirectory(home.fd)
      return { data: null }
    case 'swap':
      if (request.direction === 'in') swapIn(home, request.staging)
      else swapBack(home, request.staging)
      return { data: null }
    case 'arrange':
      return { data: arrangeParts(home, request.staging, request.paths) }
    case 'exchange':
      if (request.direction === 'in') exchangeIn(home, request.staging, request.paths)
      else exchangeBack(home, request.staging, request.paths)
      return { data: null }
    case 'hand':
      if (request.direction === 'over') handOver(home, request.from, request.to)
      else handBack(home, request.from, request.to)
      return { data: null }
    case 'pointConfigs':
      return { data: await pointConfigs(home, request.from) }
    case 'has':
      return { data: statOrNull(home.fd, request.name) !== null }
    case 'wordpress':
      return { data: findWordpress(home, request.roots) }
    case 'usage':
      return { data: await diskUsage(home.fd) }
  }
}

/** What the reader of archives refuses. */
const judged = (error: unknown): HelperError | null =>
  isAppError(error) ? new HelperError(error.status, error.message) : null

const failureHeader = (id: number, request: HelperRequest, error: unknown) => {
  const path = 'path' in request ? request.path : ''
  const known = error instanceof HelperError ? error : (judged(error) ?? fromErrno(error, path))
  return known
    ? { id, ok: false, status: known.status, message: known.message, reason: known.reason }
    : { id, ok: false, status: null, message: String(error).slice(0, 2000), reason: null }
}

/**
 * Answers requests on standard input with frames on standard output until the
 * agent closes the pipe. Runs as the account, in its home; `homePath` is the
 * home's absolute path.
 */
export const serveFiles = (homePath: string): void => {
  process.umask(0o022)
  const home: Home = { fd: openPlace('.'), path: homePath }
  if (fstatSync(home.fd).uid !== process.geteuid?.())
    throw new Error('the working directory is not the home of this user')

  const handle = async ({ header, body }: Frame): Promise<void> => {
    // Only the agent holds the other end, and it is the one that is trusted here.
    const { id, request } = header as { id: number; request: HelperRequest }
    let answer: Buffer
    try {
      const result = await perform(home, request, body)
      answer = encodeFrame({ id, ok: true, data: result.data }, result.body)
    } catch (error) {
      answer = encodeFrame(failureHeader(id, request, error))
    }
    process.stdout.write(answer)
  }
  const read = createFrameReader(MAX_REQUEST_BYTES, (frame) => void handle(frame))
  process.stdin.on('data', read)
  process.stdin.on('end', () => process.exit(0))
  process.stdout.on('error', () => process.exit(0))
}
