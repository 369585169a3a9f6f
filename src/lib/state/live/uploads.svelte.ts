import { loadAnew } from '../load-anew'
import { parseResult } from '$lib/api/parse-result'
import { joinPath } from '$lib/format/home-path'
import { texts } from '$lib/texts'

export interface Upload {
  id: number
  name: string
  /** Where it goes, for people. */
  into: string
  sizeBytes: number
  sentBytes: number
  state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  error: string | null
}

/** A folder of an account's home. */
export interface Folder {
  accountId: number
  username: string
  path: string
}

const isOver = ({ state }: Upload): boolean => state !== 'waiting' && state !== 'running'

/**
 * Files on their way into homes, one after the other; they go on while the user
 * looks at other pages. XMLHttpRequest, because fetch tells nothing of what it sends.
 */
class Uploads {
  list = $state<Upload[]>([])
  #nextId = 1
  #sources = new Map<number, { file: File; url: string }>()
  #running: { id: number; request: XMLHttpRequest } | null = null

  get busy(): boolean {
    return this.list.some((upload) => !isOver(upload))
  }

  add(folder: Folder, files: readonly File[]): void {
    const into = texts.uploads.into(folder.username, `/${folder.path}`)
    for (const file of files) {
      const id = this.#nextId++
      const query = new URLSearchParams({
        account_id: String(folder.accountId),
        path: joinPath(folder.path, file.name),
      })
      this.#sources.set(id, { file, url: `/api/files/upload?${query}` })
      const { name, size: sizeBytes } = file
      const upload: Upload = {
        id,
        name,
        into,
        sizeBytes,
        sentBytes: 0,
        state: 'waiting',
        error: null,
      }
      this.list.push(upload)
    }
    this.#next()
  }

  /** Ends it; what was at its place stays. */
  cancel(id: number): void {
    this.#change(id, { state: 'cancelled' })
    this.#sources.delete(id)
    if (this.#running?.id === id) this.#running.request.abort()
  }

  /** Forgets those that are over. */
  clear(): void {
    this.list = this.list.filter((upload) => !isOver(upload))
  }

  #change(id: number, change: Partial<Upload>): void {
    const upload = this.list.find((one) => one.id === id)
    if (upload && !isOver(upload)) Object.assign(upload, change)
  }

  #next(): void {
    if (this.#running !== null) return
    const waiting = this.list.find(({ state }) => state === 'waiting')
    const source = waiting && this.#sources.get(waiting.id)
    if (!waiting || !source) return
    const { id } = waiting
    const request = new XMLHttpRequest()
    this.#running = { id, request }
    this.#change(id, { state: 'running' })
    request.upload.onprogress = ({ loaded }) => this.#change(id, { sentBytes: loaded })
    request.onload = () => {
      const body = new Response(request.responseText, {
        status: Math.max(200, request.status),
        headers: { 'Content-Type': 'application/json' },
      })
      void parseResult(body).then((result) => {
        if (result.ok) this.#change(id, { state: 'done', sentBytes: source.file.size })
        else this.#change(id, { state: 'failed', error: result.error })
        return loadAnew('berth:files')
      })
    }
    request.onerror = () => this.#change(id, { state: 'failed', error: texts.uploads.broken })
    request.onloadend = () => {
      this.#running = null
      this.#sources.delete(id)
      this.#next()
    }
    request.open('POST', source.url)
    request.setRequestHeader('X-Requested-With', 'berth')
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.send(source.file)
  }
}

export const uploads = new Uploads()
