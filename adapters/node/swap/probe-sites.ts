import { createHash } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import type { Probe, ProbeResult, ProbeTarget } from './swap-types.ts'

const TIMEOUT_MS = 15_000
const AT_ONCE = 8
/** Of a page, for its title. */
const MAX_TITLE_BYTES = 262_144
/** Of a body; what is longer counts with its beginning. */
const MAX_BODY_BYTES = 8 * 2 ** 20
/** Longer than a second, so that a page that shows the time is seen to change. */
const AGAIN_MS = 1100

const titleOf = (body: Buffer): string | null => {
  const text = body.subarray(0, MAX_TITLE_BYTES).toString('utf8')
  const match = /<title[^>]{0,200}>([^<]{0,500})/i.exec(text)
  return match?.[1]?.replace(/\s+/g, ' ').trim() ?? null
}

const failed = (error: string): ProbeResult => ({
  status: null,
  location: null,
  title: null,
  hash: null,
  error,
})

/** How an address is written for people. */
export const targetText = ({ host, port, secure, path }: ProbeTarget): string => {
  const usual = port === (secure ? 443 : 80)
  return `${secure ? 'https' : 'http'}://${host}${usual ? '' : `:${port}`}${path}`
}

const readResponse = (target: ProbeTarget, answer: IncomingMessage): Promise<ProbeResult> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const { statusCode = 0, headers } = answer
    const finish = (): void => {
      const body = Buffer.concat(chunks)
      const { location } = headers
      resolve({
        status: statusCode,
        location:
          location !== undefined && URL.canParse(location, targetText(target))
            ? new URL(location, targetText(target)).href
            : (location ?? null),
        title: titleOf(body),
        hash: createHash('sha256').update(body).digest('hex'),
        error: null,
      })
    }
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size < MAX_BODY_BYTES) return
      finish()
      answer.destroy()
    })
    answer.on('end', finish)
    answer.on('error', (error) => resolve(failed(error.message)))
  })

/** Asks one address of a site on this machine; certificates are not judged, since names need not lead here. */
const probeSite = (target: ProbeTarget): Promise<ProbeResult> =>
  new Promise((resolve) => {
    const { host, address, port, secure, path } = target
    const usual = port === (secure ? 443 : 80)
    const options = {
      host: address,
      port,
      path,
      agent: false,
      headers: {
        host: usual ? host : `${host}:${port}`,
        'user-agent': 'berth-swap',
        accept: 'text/html,*/*',
        'accept-encoding': 'identity',
        connection: 'close',
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }
    const outgoing = secure
      ? httpsRequest({ ...options, servername: host, rejectUnauthorized: false })
      : httpRequest(options)
    outgoing.on('response', (answer) => void readResponse(target, answer).then(resolve))
    outgoing.on('error', (error) => resolve(failed(error.message)))
    outgoing.end()
  })

/** Asks all, a few at once; answers in the same order. */
export const probeAll = async (targets: readonly ProbeTarget[]): Promise<ProbeResult[]> => {
  const results: ProbeResult[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let at = next++; at < targets.length; at = next++) {
      const target = targets[at]
      if (target !== undefined) results[at] = await probeSite(target)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}

/** Asks all twice, to know what changes by itself. */
export const probeBefore = async (targets: readonly ProbeTarget[]): Promise<Probe[]> => {
  const first = await probeAll(targets)
  await setTimeout(AGAIN_MS)
  const second = await probeAll(targets)
  return targets.map((target, at) => {
    const result = first[at] ?? failed('not asked')
    return { target, result, changing: result.hash !== second[at]?.hash }
  })
}
