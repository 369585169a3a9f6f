import { z } from 'zod'
import { userKey } from '../access/caller.ts'
import { readRanges } from '../../../edge-cache/index.ts'
import { AppError } from '../../errors.ts'
import type { OpenFile } from '../../services/files/transfer.ts'
import type { Services } from '../../services/services.ts'
import { downloadHeaders } from '../frame/attachment.ts'
import { numberText } from '../frame/fields.ts'
import { boundaryOf, multipartFile } from '../frame/multipart.ts'
import { authorize } from '../access/policy.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { fileEntrySchema } from './schema.ts'
import type { TransferSlots } from './transfer-slots.ts'

const query = z.object({
  account_id: numberText('account_id'),
  path: z.string('path is required.').describe("Relative to the account's home."),
})

const on = routesOf('Files', { changes: 'develop' })
const COMMON = {
  403: 'The account itself may not do this there, or the path leads out of the home.',
  404: 'No such account or path.',
  503: 'The host cannot do it at present.',
} as const

const ofAccount = ({ query, caller }: Call<unknown, { account_id: number }>): void =>
  authorize(caller, 'account', query.account_id)

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    // Not awaited: the other side may never acknowledge.
    void reader.cancel().catch(() => undefined)
  }
}

/** What follows the file in such a body is not read, so its end is not that of the body. */
async function* untilEnd(
  pieces: AsyncIterable<Uint8Array>,
  check: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  yield* pieces
  await check()
}

const contentOf = ({
  request: { headers },
  content,
  reauthenticate,
}: Call): AsyncGenerator<Uint8Array> => {
  const type = headers.get('content-type') ?? ''
  if (/^application\/octet-stream\s*(;|$)/i.test(type)) return chunksOf(content())
  if (/^multipart\/form-data\s*;/i.test(type)) {
    const file = multipartFile(chunksOf(content()), boundaryOf(type))
    return untilEnd(file, reauthenticate)
  }
  throw new AppError(
    415,
    'Send the file as "Content-Type: application/octet-stream", or as the file of a multipart/form-data body.',
  )
}

const streamOf = (file: OpenFile, start: number, length: number): ReadableStream<Uint8Array> => {
  const pieces = file.read(start, length)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

const download = (request: Request, path: string, file: OpenFile): Response => {
  const { size, identity } = file
  const etag = `"${identity}"`
  const headers = downloadHeaders(path, 'application/octet-stream')
  headers.set('accept-ranges', 'bytes')
  headers.set('etag', etag)
  const ifRange = request.headers.get('if-range')
  const asked = ifRange === null || ifRange === etag ? request.headers.get('range') : null
  const ranges = asked === null ? null : readRanges(asked, size)
  if (ranges === 'none')
    throw new AppError(416, `The file has ${size} bytes; the range lies behind its end.`, {
      headers: { 'content-range': `bytes */${size}` },
    })
  // Several ranges would be an answer of several parts: who asks for them gets the whole.
  const range = ranges?.length === 1 ? ranges[0] : undefined
  const { start, end } = range ?? { start: 0, end: size - 1 }
  headers.set('content-length', String(end - start + 1))
  if (range !== undefined) headers.set('content-range', `bytes ${start}-${end}/${size}`)
  return new Response(streamOf(file, start, end - start + 1), {
    status: range === undefined ? 200 : 206,
    headers,
  })
}

/** Files of any size, streamed both ways. */
export const fileTransferRoutes = ({ files }: Services, transfers: TransferSlots) => [
  on.account.post('/api/files/upload', {
    summary: 'Uploads a file of any size',
    description:
      'The body is the file itself (application/octet-stream), or multipart/form-data, of which the first file counts. It is streamed; the quota alone bounds it. What is at path stays until all of it has come, and an upload that breaks off leaves nothing.',
    query,
    rawBody: {
      mediaTypes: ['application/octet-stream', 'multipart/form-data'],
      description: 'The file.',
    },
    data: fileEntrySchema,
    errors: {
      ...COMMON,
      409: 'Something of another kind is there, or the account is not active.',
      413: 'Over the quota.',
    },
    before: ofAccount,
    around: ({ caller, request }, work) => transfers.run(userKey(caller), request.signal, work),
    handle: (call) => files.upload(call.query.account_id, call.query.path, contentOf(call)),
  }),
  on.account.get('/api/files/download', {
    summary: 'Downloads a file of any size',
    description:
      'Streamed, as an attachment. Range and If-Range are understood. A file that changes meanwhile breaks off.',
    query,
    raw: {
      mediaTypes: ['application/octet-stream'],
      description: 'The file, outside the envelope.',
    },
    partial: true,
    errors: {
      ...COMMON,
      409: 'It is no file, or the account is being made or deleted.',
      416: 'The range lies behind the end of the file.',
    },
    before: ofAccount,
    async handle({ query, request }) {
      return download(request, query.path, await files.open(query.account_id, query.path))
    },
  }),
]
