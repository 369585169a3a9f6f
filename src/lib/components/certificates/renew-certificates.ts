import type { Certificate } from '$lib/api/types'
import { bulkRuns } from '$lib/state/live/bulk-runs.svelte'
import { jobs } from '$lib/state/live/jobs.svelte'
import { texts } from '$lib/texts'

/** Renews several certificates, each as a job of its own, one after the other. */
export const renewCertificates = (certificates: readonly Certificate[]): void =>
  bulkRuns.start(
    texts.lists.certificates.renew(certificates.length),
    certificates.map(({ domain }) => ({
      key: domain,
      label: domain,
      async run() {
        const path = `/api/ssl/renew/${encodeURIComponent(domain)}`
        const started = await jobs.start(path, undefined, 'GET')
        return started.ok ? started.data.outcome : started
      },
    })),
    ['berth:certificates'],
  )
