import { AppError, conflict, invalid, notFound } from '#handlers/errors.ts'
import type { FileEntry, FilesPort } from '#handlers/ports/host/files.ts'

interface Node {
  type: 'file' | 'directory'
  bytes: Uint8Array
  mode: string
}

export interface FakeFiles extends FilesPort {
  /** Trees by username, then by path; '' is the home. */
  trees: Map<string, Map<string, Node>>
  makeHome(username: string, primaryDomain: string): void
}

const MODIFIED = '2026-11-01 12:00:00'
const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/')

const fromBase64 = (text: string): Uint8Array => {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    throw invalid('content', 'content is not valid base64.')
  }
}

const decode = (bytes: Uint8Array): { content: string; encoding: 'utf8' | 'base64' } => {
  try {
    return { content: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf8' }
  } catch {
    return { content: btoa(String.fromCharCode(...bytes)), encoding: 'base64' }
  }
}

/** Homes held in memory, with the errors that `ports/files` promises. */
export const createFakeFiles = (): FakeFiles => {
  const trees = new Map<string, Map<string, Node>>()
  const directory = (): Node => ({ type: 'directory', bytes: new Uint8Array(), mode: '0755' })

  const treeOf = (username: string): Map<string, Node> => {
    const tree = trees.get(username)
    if (tree === undefined) throw notFound(`User ${username} does not exist.`)
    return tree
  }
  const require = (tree: Map<string, Node>, path: string): Node => {
    const node = tree.get(path)
    if (node === undefined) throw notFound(`${path} does not exist.`)
    return node
  }
  const entry = (username: string, path: string, node: Node): FileEntry => ({
    name: path.split('/').at(-1) ?? '',
    path,
    type: node.type,
    size: node.bytes.length,
    permissions: node.mode,
    modified_at: MODIFIED,
    owner: username,
  })

  const uploads = new Map<string, Uint8Array>()
  const assertNewPlace = (tree: Map<string, Node>, path: string, to: string): void => {
    require(tree, path)
    if (to === path || to.startsWith(`${path}/`)) throw invalid('to', `${to} lies in ${path}.`)
    if (tree.has(to)) throw conflict(`${to} exists already.`)
    require(tree, parentOf(to))
  }

  return {
    trees,
    makeHome(username, primaryDomain) {
      const home = new Map<string, Node>()
      for (const path of ['', 'public_html', 'tmp', 'sessions', 'logs']) home.set(path, directory())
      const page = new TextEncoder().encode(`<h1>${primaryDomain}</h1>`)
      home.set('public_html/index.html', { type: 'file', bytes: page, mode: '0644' })
      trees.set(username, home)
    },
    async list({ username, path }) {
      const tree = treeOf(username)
      if (require(tree, path).type !== 'directory') throw conflict(`${path} is not a directory.`)
      return [...tree]
        .filter(([child]) => child !== '' && parentOf(child) === path)
        .map(([child, node]) => entry(username, child, node))
        .sort((a, b) => a.name.localeCompare(b.name))
    },
    async read({ username, path, maxBytes }) {
      const node = require(treeOf(username), path)
      if (node.type !== 'file') throw conflict(`${path} is a directory.`)
      if (node.bytes.length > maxBytes) throw new AppError(413, `${path} is too large to be read.`)
      return { path, ...decode(node.bytes), size: node.bytes.length, modified_at: MODIFIED }
    },
    async write({ username, path, content, encoding }) {
      const tree = treeOf(username)
      const old = tree.get(path)
      if (old?.type === 'directory') throw conflict(`${path} is a directory.`)
      if (require(tree, parentOf(path)).type !== 'directory') {
        throw conflict(`${parentOf(path)} is not a directory.`)
      }
      const bytes = encoding === 'base64' ? fromBase64(content) : new TextEncoder().encode(content)
      const node: Node = { type: 'file', bytes, mode: old?.mode ?? '0644' }
      tree.set(path, node)
      return entry(username, path, node)
    },
    async mkdir({ username, path }) {
      const tree = treeOf(username)
      if (tree.has(path)) throw conflict(`${path} exists already.`)
      const segments = path.split('/')
      const paths = segments.map((_, index) => segments.slice(0, index + 1).join('/'))
      const blocked = paths.find((one) => tree.get(one)?.type === 'file')
      if (blocked !== undefined) throw conflict(`${blocked} is not a directory.`)
      for (const one of paths) if (!tree.has(one)) tree.set(one, directory())
      return entry(username, path, require(tree, path))
    },
    async chmod({ username, path, mode }) {
      if (!/^0?[0-7]{3}$/.test(mode)) throw invalid('mode', 'mode must be 3 or 4 octal digits.')
      const node = require(treeOf(username), path)
      node.mode = mode.padStart(4, '0')
      return entry(username, path, node)
    },
    async beginUpload({ username, path }) {
      const tree = treeOf(username)
      if (tree.get(path)?.type === 'directory') throw conflict(`${path} is a directory.`)
      require(tree, parentOf(path))
      const token = (uploads.size + 1).toString(16).padStart(16, '0')
      uploads.set(token, new Uint8Array())
      return { token }
    },
    async appendUpload({ token, offset, content }) {
      const before = uploads.get(token)
      if (before?.length !== offset) throw conflict('The upload was removed meanwhile.')
      uploads.set(token, new Uint8Array([...before, ...fromBase64(content)]))
    },
    async endUpload({ username, path, token, size }) {
      const bytes = uploads.get(token)
      if (bytes?.length !== size) throw conflict('The upload was removed meanwhile.')
      uploads.set(token, new Uint8Array())
      const tree = treeOf(username)
      const node: Node = { type: 'file', bytes, mode: tree.get(path)?.mode ?? '0644' }
      tree.set(path, node)
      return entry(username, path, node)
    },
    async abortUpload({ token }) {
      uploads.set(token, new Uint8Array())
    },
    async readPart({ username, path, offset, length }) {
      const { type, bytes } = require(treeOf(username), path)
      if (type !== 'file') throw conflict(`${path} is a directory.`)
      const content = btoa(
        Array.from(bytes.subarray(offset, offset + length), (byte) =>
          String.fromCharCode(byte),
        ).join(''),
      )
      return { content, size: bytes.length, modified_at: MODIFIED, identity: `${bytes.length}` }
    },
    async move({ username, path, to }) {
      const tree = treeOf(username)
      assertNewPlace(tree, path, to)
      for (const [one, node] of [...tree]) {
        if (one !== path && !one.startsWith(`${path}/`)) continue
        tree.delete(one)
        tree.set(to + one.slice(path.length), node)
      }
      return entry(username, to, require(tree, to))
    },
    async copy({ username, path, to }) {
      const tree = treeOf(username)
      assertNewPlace(tree, path, to)
      for (const [one, node] of [...tree]) {
        if (one === path || one.startsWith(`${path}/`))
          tree.set(to + one.slice(path.length), { ...node })
      }
      return entry(username, to, require(tree, to))
    },
    async archive({ username, paths, to }) {
      const tree = treeOf(username)
      const packed = paths.flatMap((path) => {
        assertNewPlace(tree, path, to)
        const name = path.slice(parentOf(path).length).replace(/^\//, '')
        return [...tree]
          .filter(([one]) => one === path || one.startsWith(`${path}/`))
          .map(([one, node]) => [
            name + one.slice(path.length),
            node.type,
            String.fromCharCode(...node.bytes),
          ])
      })
      const bytes = new TextEncoder().encode(JSON.stringify({ packed }))
      const node: Node = { type: 'file', bytes, mode: '0644' }
      tree.set(to, node)
      return { entry: entry(username, to, node), entries: packed.length, skipped: 0 }
    },
    async extract({ username, path, to, overwrite }) {
      const tree = treeOf(username)
      const { bytes } = require(tree, path)
      if (require(tree, to).type !== 'directory') throw conflict(`${to} is not a directory.`)
      const text = new TextDecoder().decode(bytes)
      if (!text.startsWith('{"packed":')) throw conflict('The archive is refused: it is damaged.')
      const { packed } = JSON.parse(text) as { packed: [string, Node['type'], string][] }
      for (const [name, type, content] of packed) {
        const place = to === '' ? name : `${to}/${name}`
        const old = tree.get(place)
        if (old !== undefined && (old.type !== type || (type === 'file' && !overwrite)))
          throw conflict(`${place} exists already.`)
        const made = Uint8Array.from(content, (char) => char.charCodeAt(0))
        tree.set(place, { type, bytes: made, mode: '0644' })
      }
      return { entries: packed.length }
    },
    async delete({ username, path }) {
      if (path === '') throw invalid('path', 'The home directory itself cannot be deleted.')
      const tree = treeOf(username)
      require(tree, path)
      for (const one of [...tree.keys()]) {
        if (one === path || one.startsWith(`${path}/`)) tree.delete(one)
      }
    },
  }
}
