import type { ApiResult, IssuedCertificate, Job, RenewalReport } from '$lib/api/types'
import { followJob, startJob } from '$lib/state/follow-job'
import { toasts } from '$lib/state/toasts.svelte'
import { texts } from '$lib/texts'

export interface ProvisionInput {
  domain: string
  webroot?: string
  force?: true
  redirect_https?: true
}

type Kind = 'provision' | 'renew' | 'renew-all'

/** What has become of the work: a form to fill in, under way, refused or failed, done. */
type Phase = 'form' | 'running' | 'failed' | 'done'

/**
 * Obtaining and renewing certificates, as the drawer shows it. The work goes on
 * when the drawer is closed; its result is told by a toast then.
 */
export class CertificateWork {
  open = $state(false)
  kind = $state<Kind>('provision')
  phase = $state<Phase>('form')
  /** Domain of the form, or what is being renewed. */
  domain = $state('')
  job = $state<Job | null>(null)
  error = $state<string | null>(null)
  field = $state<string | null>(null)
  issued = $state<IssuedCertificate | null>(null)
  report = $state<RenewalReport | null>(null)
  /** Tells which run the answers belong to. */
  #run = 0
  readonly #ondone: (lit: string | null) => Promise<unknown>

  /** `ondone`: brings the page up to date; `lit`: domain whose row lights up. */
  constructor(ondone: (lit: string | null) => Promise<unknown>) {
    this.#ondone = ondone
  }

  /** Opens the form. */
  ask(domain = ''): void {
    this.#begin('provision', 'form', domain)
  }

  /** Back to the form, as it was filled in. */
  backToForm(): void {
    this.phase = 'form'
    this.error = null
  }

  provision(input: ProvisionInput): Promise<void> {
    return this.#work('provision', input.domain, () =>
      startJob('POST', '/api/ssl/provision', input),
    )
  }

  renew(domain: string): Promise<void> {
    return this.#work('renew', domain, () =>
      startJob('GET', `/api/ssl/renew/${encodeURIComponent(domain)}`),
    )
  }

  renewAll(): Promise<void> {
    return this.#work('renew-all', '', () => startJob('POST', '/api/ssl/auto-renew'))
  }

  #begin(kind: Kind, phase: Phase, domain: string): void {
    this.#run += 1
    this.kind = kind
    this.phase = phase
    this.domain = domain
    this.job = null
    this.error = null
    this.field = null
    this.issued = null
    this.report = null
    this.open = true
  }

  async #work(
    kind: Kind,
    domain: string,
    start: () => Promise<ApiResult<{ job_id: string }>>,
  ): Promise<void> {
    this.#begin(kind, 'running', domain)
    const run = this.#run
    const isShown = () => run === this.#run
    const started = await start()
    if (!started.ok) {
      this.#fail(isShown(), started.error, started.field)
      if (isShown() && kind === 'provision') this.phase = 'form'
      return
    }
    const job = await followJob(started.data.job_id, (change) => {
      if (isShown()) this.job = change
    })
    if (job?.state === 'done') await this.#finish(isShown(), kind, job)
    else {
      await this.#ondone(null)
      this.#fail(isShown(), job?.error ?? texts.ssl.work.lost, null)
    }
  }

  #fail(shown: boolean, error: string, field: string | null): void {
    if (!shown || !this.open) toasts.bad(error)
    if (!shown) return
    this.phase = 'failed'
    this.error = error
    this.field = field
  }

  async #finish(shown: boolean, kind: Kind, job: Job): Promise<void> {
    const issued = kind === 'renew-all' ? null : (job.result as IssuedCertificate)
    const report = kind === 'renew-all' ? (job.result as RenewalReport) : null
    await this.#ondone(issued?.domain ?? null)
    const wasOpen = shown && this.open
    if (shown) {
      this.issued = issued
      this.report = report
      this.phase = 'done'
      // There is nothing left to say: the row says it.
      if (issued?.left_out.length === 0) this.open = false
    }
    if (issued)
      toasts.ok(texts.ssl.work.issued[kind === 'renew' ? 'renew' : 'provision'](issued.domain))
    else if (report && !wasOpen)
      toasts.ok(texts.ssl.work.renewedCount(report.renewed.length, report.errors.length))
  }
}
