import type { ApiResult, IssuedCertificate, Job, RenewalReport } from '$lib/api/types'
import { jobs } from '$lib/state/live/jobs.svelte'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'

interface ProvisionInput {
  domain: string
  webroot?: string
  force?: true
  challenge_type?: 'http-01' | 'dns-01'
  redirect_https?: true
}

type Kind = 'provision' | 'renew' | 'renew-all'

/** What has become of the work: a form to fill in, under way, refused or failed, done. */
type Phase = 'form' | 'running' | 'failed' | 'done'

type Start<T> = () => Promise<ApiResult<{ id: string; outcome: Promise<ApiResult<T>> }>>

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
  error = $state<string | null>(null)
  field = $state<string | null>(null)
  issued = $state<IssuedCertificate | null>(null)
  report = $state<RenewalReport | null>(null)
  #jobId = $state<string | null>(null)
  /** Tells which run the responses belong to. */
  #run = 0
  readonly #ondone: (lit: string | null) => Promise<unknown>

  /** `ondone`: brings the page up to date; `lit`: domain whose row lights up. */
  constructor(ondone: (lit: string | null) => Promise<unknown>) {
    this.#ondone = ondone
  }

  /** The work under way, or as it ended; null until it has begun. */
  get job(): Job | null {
    return jobs.list.find(({ id }) => id === this.#jobId) ?? null
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
    return this.#obtain('provision', input.domain, () =>
      jobs.start<IssuedCertificate>('/api/ssl/provision', input),
    )
  }

  renew(domain: string): Promise<void> {
    const path = `/api/ssl/renew/${encodeURIComponent(domain)}`
    return this.#obtain('renew', domain, () =>
      jobs.start<IssuedCertificate>(path, undefined, 'GET'),
    )
  }

  renewAll(): Promise<void> {
    return this.#work(
      'renew-all',
      '',
      () => jobs.start<RenewalReport>('/api/ssl/auto-renew'),
      async (report, shown) => {
        await this.#ondone(null)
        if (!shown() || !this.open)
          toasts.ok(texts.ssl.work.renewedCount(report.renewed.length, report.errors.length))
        if (shown()) this.report = report
      },
    )
  }

  #obtain(kind: 'provision' | 'renew', domain: string, start: Start<IssuedCertificate>) {
    return this.#work(kind, domain, start, async (issued, shown) => {
      await this.#ondone(issued.domain)
      toasts.ok(texts.ssl.work.issued[kind](issued.domain))
      if (!shown()) return
      this.issued = issued
      // Without names left out there is nothing more to say than the row does.
      if (issued.left_out.length === 0) this.open = false
    })
  }

  #begin(kind: Kind, phase: Phase, domain: string): void {
    this.#run += 1
    this.kind = kind
    this.phase = phase
    this.domain = domain
    this.#jobId = null
    this.error = null
    this.field = null
    this.issued = null
    this.report = null
    this.open = true
  }

  async #work<T>(
    kind: Kind,
    domain: string,
    start: Start<T>,
    finish: (data: T, shown: () => boolean) => Promise<void>,
  ): Promise<void> {
    this.#begin(kind, 'running', domain)
    const run = this.#run
    const shown = () => run === this.#run
    const started = await start()
    if (!started.ok) return this.#fail(shown(), started, kind === 'provision' ? 'form' : 'failed')
    if (shown()) this.#jobId = started.data.id
    const outcome = await started.data.outcome
    if (outcome.ok) {
      await finish(outcome.data, shown)
      if (shown()) this.phase = 'done'
    } else {
      await this.#ondone(null)
      this.#fail(shown(), outcome, 'failed')
    }
  }

  #fail(shown: boolean, refusal: { error: string; field: string | null }, phase: Phase): void {
    if (!shown || !this.open) toasts.bad(refusal.error)
    if (!shown) return
    this.phase = phase
    this.error = refusal.error
    this.field = refusal.field
  }
}
