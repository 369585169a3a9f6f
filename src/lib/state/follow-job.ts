import { callApi } from '$lib/api/call-api'
import type { ApiResult, Job } from '$lib/api/types'

const ASK_AGAIN_MS = 1000

const isJob = (value: unknown): value is Job =>
  typeof value === 'object' && value !== null && 'state' in value && 'finished_at' in value

const parse = (text: string): Job | null => {
  const value: unknown = JSON.parse(text)
  return isJob(value) ? value : null
}

/**
 * Follows one job to its end: by its events, or by asking where no stream is to
 * be had. `onchange` gets every state, the last one too. Null when the job
 * can no longer be asked for.
 */
export const followJob = async (id: string, onchange: (job: Job) => void): Promise<Job | null> => {
  const path = `/api/jobs/${encodeURIComponent(id)}`
  const seen = await new Promise<Job | null>((resolve) => {
    const source = new EventSource(`${path}/events`)
    const end = (job: Job | null) => {
      source.close()
      resolve(job)
    }
    source.addEventListener('job', ({ data }) => {
      const job = parse(String(data))
      if (job === null) return
      onchange(job)
      if (job.finished_at !== null) end(job)
    })
    // It comes back by itself unless it was refused.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) end(null)
    })
  })
  if (seen !== null) return seen
  for (;;) {
    const result = await callApi<Job>('GET', path)
    if (!result.ok && result.status !== 0) return null
    if (result.ok) onchange(result.data)
    if (result.ok && result.data.finished_at !== null) return result.data
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
}

/** Starts work as a job; the answer is its id. */
export const startJob = async (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<ApiResult<{ job_id: string }>> =>
  callApi<{ job_id: string }>(method, path, body, 'respond-async')
