import type { Notify } from '../notify/notify.ts'
import type { ServiceDeps } from '../service-deps.ts'

export type JobNotify = Pick<Notify, 'tell' | 'tellAdministrators'>

/** What these fail at stands until it succeeds, and is told as that. */
const TOLD_ELSEWHERE: readonly string[] = [
  'backup.create',
  'backup.prove',
  'snapshot.create',
  'certificate.provision',
  'certificate.renew',
  'certificate.finish',
  'certificate.auto-renew',
]

const KINDS = ['admin', 'reseller', 'account', 'person'] as const

/**
 * Tells that a job failed: who started it; after a crash, when that is not known any more, the
 * account that it belonged to, else the administrators.
 */
export const createTellFailure =
  ({ store, notify }: Pick<ServiceDeps, 'store'> & { notify: JobNotify }) =>
  async (id: string, error: string, user: string | null): Promise<void> => {
    const job = await store.jobById(id)
    if (job === null || TOLD_ELSEWHERE.includes(job.kind)) return
    const data = { subject: job.subject, job: job.kind, error }
    const [role, number] = (user ?? '').split(':')
    const starter = Number(number ?? 0)
    const known = KINDS.find((kind) => kind === role)
    if (known !== undefined && starter > 0)
      return notify.tell({ role: known, id: starter }, 'job.failed', data)
    if (user !== null) return
    if (job.account_id === null) return notify.tellAdministrators('job.failed', data)
    return notify.tell({ role: 'account', id: job.account_id }, 'job.failed', data)
  }
