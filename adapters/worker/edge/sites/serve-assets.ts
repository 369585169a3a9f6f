import { multipartBody, multipartRanges } from '#edge-cache/index.ts'
import { isHiddenPath, isTooDeep } from '#handlers/sites/paths/path-rules.ts'
import { encodePath, type NormalTarget } from '#handlers/sites/paths/request-path.ts'
import { selectPart, type Selection } from '#handlers/sites/responses/conditional.ts'
import { contentTypeOf } from '#handlers/sites/responses/content-type.ts'
import { errorPage } from '#handlers/sites/responses/error-page.ts'

/** What is done with the bytes of static assets. */
type Ask = (path: string) => Promise<Response>

const INDEX = 'index.html'

/** A file below a site's folder as a path of the assets; each segment is literal. */
const assetPath = (folder: string, file: string): string =>
  folder + file.split('/').map(encodeURIComponent).join('/')

const discard = (response: Response): void => {
  response.body?.cancel().catch(() => undefined)
}

/** Assets have a tag and no date, so conditions with dates say nothing of them. */
const withoutDates = (headers: Headers): Headers => {
  const kept = new Headers(headers)
  for (const name of ['if-modified-since', 'if-unmodified-since']) kept.delete(name)
  return kept
}

const wholeOf = (asset: Response, head: Headers, isHead: boolean): Response => {
  const length = asset.headers.get('content-length')
  if (length !== null) head.set('content-length', length)
  if (!isHead) return new Response(asset.body, { headers: head })
  discard(asset)
  return new Response(null, { headers: head })
}

/** A part of an asset, or several; Cloudflare keeps none above 25 MiB. */
const partOf = async (asset: Response, head: Headers, request: Request): Promise<Response> => {
  const bytes = new Uint8Array(await asset.arrayBuffer())
  const size = bytes.byteLength
  const validators = { etag: head.get('etag') ?? '', lastModifiedMs: 0 }
  const part: Selection = selectPart('GET', withoutDates(request.headers), validators, size)
  if (part.status === 416) {
    head.set('content-range', `bytes */${size}`)
    return new Response(null, { status: 416, headers: head })
  }
  if (part.status !== 206) return new Response(bytes, { headers: head })
  const [first] = part.ranges
  if (part.ranges.length > 1) {
    const framed = multipartRanges(part.ranges, head.get('content-type'), size)
    head.set('content-type', framed.contentType)
    const body = multipartBody(framed, part.ranges, ({ start, end }) => bytes.slice(start, end + 1))
    return new Response(body, { status: 206, headers: head })
  }
  head.set('content-range', `bytes ${first.start}-${first.end}/${size}`)
  return new Response(bytes.subarray(first.start, first.end + 1), { status: 206, headers: head })
}

const answerWith = async (request: Request, asset: Response, file: string): Promise<Response> => {
  const head = new Headers({ 'content-type': contentTypeOf(file), 'accept-ranges': 'bytes' })
  for (const name of ['etag', 'cache-control']) {
    const value = asset.headers.get(name)
    if (value !== null) head.set(name, value)
  }
  const validators = { etag: head.get('etag') ?? '', lastModifiedMs: 0 }
  const conditions = withoutDates(request.headers)
  const isRange = request.method === 'GET' && conditions.has('range')
  conditions.delete('range')
  const { status } = selectPart(request.method, conditions, validators, 0)
  if (status === 304 || status === 412) {
    discard(asset)
    return new Response(null, { status, headers: head })
  }
  return isRange ? partOf(asset, head, request) : wholeOf(asset, head, request.method === 'HEAD')
}

/**
 * Answers with files below a folder of the static assets: `index.html` for folders, the site's own
 * `404.html` where there is nothing. They are where visitors are already, so no page cache stands before them.
 */
export const serveAssets = async (
  request: Request,
  { path, file }: NormalTarget,
  folder: string,
  assets: Fetcher,
): Promise<Response> => {
  const { method } = request
  if (method !== 'GET' && method !== 'HEAD') return errorPage(method, 405, { allow: 'GET, HEAD' })
  const ask: Ask = (asked) => assets.fetch(new Request(`https://assets.invalid${asked}`))
  /** The asset, where there is one under exactly this name. */
  const found = async (name: string): Promise<Response | null> => {
    const response = await ask(assetPath(folder, name))
    if (response.status === 200) return response
    discard(response)
    return null
  }
  if (file !== null && !isHiddenPath(file) && !isTooDeep(file)) {
    const name = file.endsWith('/') ? `${file}${INDEX}` : file
    const asset = await found(name)
    if (asset !== null) return answerWith(request, asset, name)
    if (!file.endsWith('/')) {
      const index = await found(`${file}/${INDEX}`)
      if (index !== null) {
        discard(index)
        // `//name` would be another host.
        const location = `${encodePath(path.replace(/^\/+/, '/'))}/${new URL(request.url).search}`
        return new Response(null, { status: 301, headers: { location } })
      }
    }
  }
  const page = await found('/404.html')
  if (page === null) return errorPage(method, 404)
  const headers = { 'content-type': contentTypeOf('404.html') }
  if (method === 'HEAD') discard(page)
  return new Response(method === 'HEAD' ? null : page.body, { status: 404, headers })
}
