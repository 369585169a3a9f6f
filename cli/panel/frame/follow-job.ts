import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { CliError } from '../../cli-error.ts'
import { createProgress } from '../../terminal/progress.ts'
import { apiPath, type CallInit, type PanelClient } from './panel-client.ts'
import type { Method } from './panel-request.ts'

/** A job as `GET /api/jobs/:id` answers it. */
export const jobSchema = z.object({
  id: z.string(),
  kind: z.string(),
  subject: z.string(),
  state: z.enum(['queued', 'running', 'done', 'failed']),
  progress: z.number(),
  step: z.string().nullable(),
  detail: z.string().nullable(),
  result: z.unknown(),
  error: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
})

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1000

/** Waits until a job is over, with a progress line; its result, or an error with its text. */
export const followJob = async (panel: PanelClient, id: string): Promise<unknown> => {
  const progress = createProgress()
  let pauseMs = FIRST_PAUSE_MS
  let seen = ''
  try {
    for (;;) {
      const job = jobSchema.parse(await panel.call('GET', apiPath`/api/jobs/${id}`))
      if (job.state === 'done') return job.result
      if (job.state === 'failed') throw new CliError(job.error ?? `The job ${id} failed.`)
      progress.show(job.progress, [job.step ?? job.kind, job.detail ?? ''].join(' ').trim())
      const now = `${job.state} ${job.progress} ${job.step} ${job.detail}`
      pauseMs = now === seen ? Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5) : FIRST_PAUSE_MS
      seen = now
      await pause(pauseMs)
    }
  } finally {
    progress.clear()
  }
}

/** Whether work that was begun is waited for. */
export const NO_WAIT = ['--no-wait', 'begin it, print the id of its job, and return'] as const

/**
 * Begins work as a job. Answers its result when it is over, or `{job_id}` with
 * `wait` false. Interrupted, the job goes on at the panel.
 */
export const runAsJob = async (
  panel: PanelClient,
  method: Method,
  path: string,
  init: CallInit,
  wait: boolean,
): Promise<unknown> => {
  const data = await panel.call(method, path, { ...init, headers: { prefer: 'respond-async' } })
  const { job_id: id } = z.object({ job_id: z.string() }).parse(data)
  if (!wait) return data
  const onInterrupt = (): void => {
    console.error(`\nThe work goes on at the panel. See: berth jobs follow ${id}`)
    process.exit(1)
  }
  process.once('SIGINT', onInterrupt)
  try {
    return await followJob(panel, id)
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}
