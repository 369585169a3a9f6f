import { invalidate } from '$app/navigation'
import type { ApiResult, ImportedAccount, InspectedArchive, Job } from '$lib/api/types'
import { jobs } from '$lib/state/live/jobs.svelte'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'
import { sourceName, type ImportSource } from './import-source'

/** What has become of an archive: it is read, was read, is brought in, is an account. */
type Phase = 'none' | 'reading' | 'unreadable' | 'read' | 'importing' | 'failed' | 'done'

/** What is chosen for an import, as the API takes it. */
export interface ImportChoices {
  username: string
  domain: string
  domains?: Record<string, string | null>
  email: string
  plan: string
  password?: string
  unproved?: boolean
}

type Started<T> = ApiResult<{ id: string; outcome: Promise<ApiResult<T>> }>

/** The archive that is looked at and brought in. It goes on while other pages are looked at. */
class ImportWork {
  phase = $state<Phase>('none')
  source = $state.raw<ImportSource | null>(null)
  inspected = $state.raw<InspectedArchive | null>(null)
  imported = $state.raw<ImportedAccount | null>(null)
  error = $state('')
  /** Name of the account that is being made. */
  username = $state('')
  #jobId = $state<string | null>(null)
  /** Tells which archive the answers belong to. */
  #run = 0

  get name(): string {
    return this.source === null ? '' : sourceName(this.source)
  }

  /** The work under way. */
  get job(): Job | null {
    return jobs.list.find(({ id }) => id === this.#jobId) ?? null
  }

  /** Whether this is the archive that is looked at. */
  isOf(source: ImportSource): boolean {
    return JSON.stringify(source) === JSON.stringify(this.source)
  }

  close(): void {
    this.#run += 1
    this.phase = 'none'
    this.source = null
    this.inspected = null
    this.imported = null
  }

  /** Reads an archive and tells what is in it. */
  async look(source: ImportSource): Promise<void> {
    this.close()
    const run = this.#run
    this.source = source
    this.phase = 'reading'
    const result = await this.#outcome(
      await jobs.start<InspectedArchive>('/api/backups/imports/inspect', source),
      run,
    )
    if (run !== this.#run) return
    if (result.ok) this.inspected = result.data
    else this.error = result.error
    this.phase = result.ok ? 'read' : 'unreadable'
  }

  /** Begins to make an account of it; answers when it has begun, or was refused. */
  async bringIn(choices: ImportChoices): Promise<Started<ImportedAccount>> {
    const started = await jobs.start<ImportedAccount>('/api/backups/imports', {
      ...this.source,
      ...choices,
      sha256: this.inspected?.sha256,
    })
    if (started.ok) void this.#follow(started, choices.username)
    return started
  }

  async #follow(started: Started<ImportedAccount>, username: string): Promise<void> {
    const run = this.#run
    this.username = username
    this.phase = 'importing'
    const result = await this.#outcome(started, run)
    await Promise.all(['berth:imports', 'berth:stats'].map((topic) => invalidate(topic)))
    if (result.ok) toasts.ok(texts.imports.done(result.data.account.username))
    else if (run !== this.#run) toasts.bad(result.error)
    if (run !== this.#run) return
    if (result.ok) this.imported = result.data
    else this.error = result.error
    this.phase = result.ok ? 'done' : 'failed'
  }

  async #outcome<T>(started: Started<T>, run: number): Promise<ApiResult<T>> {
    if (!started.ok) return started
    if (run === this.#run) this.#jobId = started.data.id
    return started.data.outcome
  }
}

export const importWork = new ImportWork()
