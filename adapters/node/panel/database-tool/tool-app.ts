import { AppError } from '#handlers/errors.ts'
import { leavingBody } from '#handlers/panel/frame/leaving-body.ts'
import { createOpenSlots } from '#handlers/panel/frame/open-slots.ts'
import type { DatabaseToolDoor, ToolSession } from '#handlers/services/databases/tool.ts'
import { askPhp } from './ask-php.ts'
import { leadTo, plainPage, preflight, toolResponse } from './tool-response.ts'

/** What the tool is sent at once; a larger dump is imported by the panel. */
const MAX_BODY_BYTES = 16 * 2 ** 20
/** Requests of one person at once, in whatever databases: PHP's children are there for everybody. */
const MAX_OF_PERSON = 3
/** Bodies that are held at once, of all sessions. */
const MAX_BODIES = 4

const ENDED =
  'This session of the database tool has ended. Open the database in the panel again.<br><br>Diese Sitzung des Datenbankwerkzeugs ist zu Ende. Öffnen Sie die Datenbank im Panel noch einmal.'

const bodyOf = async (request: Request): Promise<Uint8Array> => {
  if (request.body === null) return new Uint8Array()
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    if (bytes > MAX_BODY_BYTES)
      throw new AppError(413, 'This is too large for the tool. Import it in the panel instead.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Requests of the tool's own listener. Nothing of the panel is served here, and nothing of it is read: no cookie, no token. */
export const createToolApp = (door: DatabaseToolDoor) => {
  let bodies = 0
  const turns = createOpenSlots(
    { ofUser: MAX_OF_PERSON, all: Infinity },
    'Several statements run already. Wait for one of them to end.',
  )

  const proxied = async (
    request: Request,
    secret: string,
    session: ToolSession,
    client: { address: string; secure: boolean },
  ): Promise<Response> => {
    const { method } = request
    const url = new URL(request.url)
    if (method === 'OPTIONS') return preflight()
    if (method !== 'GET' && method !== 'POST') return plainPage(405, 'GET, POST')
    if (method === 'POST' && bodies >= MAX_BODIES)
      throw new AppError(503, 'The database tool is busy. Try again in a moment.')
    bodies += 1
    let body: Uint8Array
    try {
      body = method === 'POST' ? await bodyOf(request) : new Uint8Array()
    } finally {
      bodies -= 1
    }
    // It may have been sent slowly.
    if (method === 'POST') await door.session(secret, client.address)
    const path = `/s/${secret}/`
    const answer = await askPhp(
      session,
      {
        method,
        path,
        query: url.search.slice(1),
        contentType: request.headers.get('content-type') ?? '',
        body,
        clientAddress: client.address,
        secure: client.secure,
        language: (request.headers.get('accept-language') ?? '').slice(0, 200),
        isScript: request.headers.has('x-requested-with'),
      },
      request.signal,
    )
    if (answer.headers.get('x-berth-tool') !== 'end') return toolResponse(session, path, answer)
    await answer.body?.cancel()
    await door.end(secret)
    return plainPage(200, ENDED)
  }

  /** Until the answer has ended: the tool sends its head before what it runs is done. */
  const inTurn = async (
    { holder }: ToolSession,
    work: () => Promise<Response>,
  ): Promise<Response> => {
    const leave = turns.enter(holder)
    try {
      const { body, status, headers } = await work()
      if (body === null) leave()
      return new Response(body === null ? null : leavingBody(body, leave), { status, headers })
    } catch (error) {
      leave()
      throw error
    }
  }

  return async (
    request: Request,
    client: { address: string; secure: boolean },
  ): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const ticket = /^\/open\/([A-Za-z0-9_-]{40,50})$/.exec(pathname)?.[1]
    const secret = /^\/s\/([A-Za-z0-9_-]{40,50})\/$/.exec(pathname)?.[1]
    try {
      if (ticket !== undefined && request.method === 'GET')
        return leadTo(`/s/${await door.redeem(ticket, client.address)}/`)
      if (secret !== undefined) {
        const session = await door.session(secret, client.address)
        return await inTurn(session, () => proxied(request, secret, session, client))
      }
      return plainPage(404, ENDED)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return plainPage(error.status, error.status === 404 ? ENDED : error.message)
    }
  }
}
