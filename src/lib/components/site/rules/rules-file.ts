import { callApi } from '$lib/api/call-api'
import type { ApiResult, Domain, FileContent, FileEntry } from '$lib/api/types'
import { joinPath } from '$lib/format/home-path'

/** The file with the rules of a site's document root, read and written as any other file of the account. */
export class RulesFile {
  readonly #account: number
  readonly #path: string
  /** What was last read or saved here; null: there is none. */
  #known: string | null = null

  constructor({ account_id, username, document_root }: Domain) {
    const home = `/${username}/`
    const folder = document_root.slice(document_root.indexOf(home) + home.length)
    this.#account = account_id
    this.#path = joinPath(folder, '.htaccess')
  }

  #read(): Promise<ApiResult<FileContent>> {
    const query = new URLSearchParams({ account_id: String(this.#account), path: this.#path })
    return callApi<FileContent>('GET', `/api/files/read?${query}`)
  }

  /** The text; empty where there is no file yet. */
  async load(): Promise<ApiResult<string>> {
    const result = await this.#read()
    if (!result.ok && result.status !== 404) return result
    this.#known = result.ok ? result.data.content : null
    return { ok: true, data: this.#known ?? '' }
  }

  isSaved(text: string): boolean {
    return text === (this.#known ?? '')
  }

  /** Whether somebody else has changed it or taken it away since. */
  async whatBecame(): Promise<'no' | 'changed' | 'gone'> {
    const now = await this.#read()
    if (!now.ok) return now.status === 404 && this.#known !== null ? 'gone' : 'no'
    return now.data.content === this.#known ? 'no' : 'changed'
  }

  async save(content: string): Promise<ApiResult<FileEntry>> {
    const body = { account_id: this.#account, path: this.#path, content }
    const result = await callApi<FileEntry>('POST', '/api/files/write', body)
    if (result.ok) this.#known = content
    return result
  }
}
