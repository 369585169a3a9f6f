import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { firstPath, type Target } from './load.ts'

/** What an answer must be, so that all sides do the same work. */
export interface Expected {
  /** Default 200. */
  status?: number
  /** Of the body without coding; null: each side has its own. */
  sha256: string | null
  encoding: 'gzip' | 'br' | null
  /** Whether `X-Cache: HIT` must stand in it. */
  cached: boolean
}

export const sha256 = (body: string | Buffer): string =>
  createHash('sha256').update(body).digest('hex')

const decode = (body: Buffer, encoding: string | null): Buffer =>
  encoding === 'gzip' ? gunzipSync(body) : encoding === 'br' ? brotliDecompressSync(body) : body

/** Fields of the last head in what `curl -D` wrote; names in lower case. */
const parseHead = (text: string): { status: number; fields: Map<string, string> } => {
  const [first = '', ...lines] = (
    text
      .trim()
      .split(/\r?\n\r?\n/)
      .at(-1) ?? ''
  ).split(/\r?\n/)
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(':', 1)
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { status: Number(first.split(' ')[1]), fields: new Map(fields) }
}

/** Asks once with curl. `directory` takes head and body. */
const askOnce = async (
  target: Target,
  directory: string,
): Promise<{ status: number; fields: Map<string, string>; body: Buffer }> => {
  const { host, port, headers, protocol } = target
  const secure = protocol !== 'h1'
  const [head, body] = [join(directory, 'answer.head'), join(directory, 'answer.body')]
  await mustRun('/usr/bin/curl', [
    ...['--silent', '--show-error', '--insecure', '--max-time', '60'],
    protocol === 'h2' ? '--http2' : '--http1.1',
    ...['--connect-to', `::127.0.0.1:${port}`, '--dump-header', head, '--output', body],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...['--', `${secure ? 'https' : 'http'}://${host}${firstPath(target)}`],
  ])
  return { ...parseHead(readFileSync(head, 'latin1')), body: readFileSync(body) }
}

/** Throws, saying what, when the answer is not what is expected. Answers how long the body was on the wire. */
export const verifyResponse = async (
  server: string,
  target: Target,
  expected: Expected,
  directory: string,
): Promise<number> => {
  const { status, fields, body } = await askOnce(target, directory)
  const fail = (what: string): never => {
    throw new Error(
      `${server} answers ${target.host}${firstPath(target)} ${what}: not a fair comparison`,
    )
  }
  if (status !== (expected.status ?? 200)) fail(`with status ${status}`)
  const encoding = fields.get('content-encoding') ?? null
  if (encoding !== expected.encoding)
    fail(`with content coding ${encoding}, not ${expected.encoding}`)
  if (expected.cached && fields.get('x-cache') !== 'HIT')
    fail(`with X-Cache ${fields.get('x-cache') ?? 'missing'}, not HIT`)
  if (expected.sha256 !== null && sha256(decode(body, encoding)) !== expected.sha256)
    fail('with another body')
  return body.length
}
