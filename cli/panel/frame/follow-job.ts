import { setTimeout as pause } from 'node:timers/promises'
import type { z } from 'zod'
import type { jobSchema } from '#handlers/panel/jobs/schema.ts'
import { CliError } from '../../cli-error.ts'
import { createProgress } from '../../terminal/progress.ts'
import type { Progress } from '../../terminal/progress.ts'
import { known } from './known.ts'
import { apiPath, type ApiCall, type CallInit, type PanelClient } from './panel-client.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1000

/** Waits until a job is over, with a progress line; its result, or an error with its text. */
export const followJob = async (
  panel: PanelClient,
  id: string,
  progress: Progress = createProgress(),
): Promise<unknown> => {
  let pauseMs = FIRST_PAUSE_MS
  let seen = ''
  try {
    for (;;) {
      const data = await panel.call('GET', apiPath`/api/jobs/${id}`)
      const job = known<z.output<typeof jobSchema>>(data, 'state', 'progress', 'kind')
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
  { method, path }: ApiCall,
  init: CallInit,
  wait: boolean,
): Promise<unknown> => {
  const data = await panel.call(method, path, { ...init, headers: { prefer: 'respond-async' } })
  const { job_id: id } = known<{ job_id: string }>(data, 'job_id')
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
