import { multipartBody } from '#edge-cache/index.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { PhpOrigin } from '#handlers/sites/origins/php-origin.ts'
import type { FileKind, SiteFile, SiteFiles } from '#handlers/sites/site-files.ts'
import { createSite, TREE_MTIME, vhostOf } from '#test/contract/sites/sites-harness.ts'
import type { MakeSite, Tree } from '#test/contract/sites/sites-harness.ts'

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content

/** Files of a tree in memory. */
export const memoryFiles = (tree: Tree): SiteFiles => {
  const judge = (path: string): FileKind => {
    const clean = path.replaceAll(/\/{2,}/g, '/')
    const key = clean === '/' ? clean : clean.replace(/\/$/, '')
    const found = key === '/' ? null : tree[key]
    if (found === undefined) return 'missing'
    if (found === null) return 'directory'
    return clean.endsWith('/') ? 'missing' : 'file'
  }
  return {
    judge: async ({ path }) => judge(path),
    list: async ({ path }, max, isWanted) => {
      if (judge(path) !== 'directory') return judge(path) === 'missing' ? 'missing' : 'denied'
      const below = Object.keys(tree).filter((key) => key.startsWith(path) && key !== path)
      const names = [...new Set(below.map((key) => key.slice(path.length).split('/', 1)[0] ?? ''))]
      const entries = names.slice(0, max).filter(isWanted)
      return {
        kind: 'listed',
        entries: entries.map((name) => {
          const isDirectory = judge(`${path}${name}`) === 'directory'
          const sizeBytes = isDirectory ? 0 : bytesOf(tree[`${path}${name}`] ?? '').byteLength
          return { name, isDirectory, sizeBytes, mtimeMs: TREE_MTIME.getTime() }
        }),
        more: names.length > max,
      }
    },
    open: async ({ path }) => {
      const kind = judge(path)
      if (kind !== 'file') return kind
      const bytes = bytesOf(tree[path.replaceAll(/\/{2,}/g, '/')] ?? '')
      const file: SiteFile = {
        sizeBytes: bytes.byteLength,
        mtimeMs: TREE_MTIME.getTime(),
        inode: 7,
        stream: (range) =>
          new Blob([
            Uint8Array.from(range ? bytes.subarray(range.start, range.end + 1) : bytes),
          ]).stream(),
        parts: (framed, ranges) =>
          multipartBody(framed, ranges, ({ start, end }) =>
            Uint8Array.from(bytes.subarray(start, end + 1)),
          ),
        close: () => undefined,
      }
      return file
    },
  }
}

/** PHP that says what it was asked. */
export const echoPhp: PhpOrigin = {
  run: async (request, call) => {
    if (call.scriptName === '/fails.php') throw new OriginError(503, 'not there')
    return Response.json({
      script: call.scriptName,
      pathInfo: call.pathInfo,
      uri: call.requestUri,
      query: call.queryString,
      method: request.method,
    })
  },
}

export const makeMemorySite: MakeSite = async (tree, changes) =>
  createSite({ vhosts: [vhostOf(changes)], files: memoryFiles(tree), php: () => echoPhp })
