import { callApi } from '$lib/api/call-api'
import type { ApiResult, Application, Deployment } from '$lib/api/types'
import { applicationPath } from '../application-path'

const ASK_AGAIN_MS = 1000

/** A deployment that is looked at; asked for again and again while it goes on. */
export class ShownDeployment {
  /** Null until it is known. */
  result = $state.raw<ApiResult<Deployment> | null>(null)
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Tells which look the responses belong to. */
  #look = 0

  async show(application: Application, id: string): Promise<void> {
    this.close()
    const look = this.#look
    const path = `${applicationPath(application)}/deployments/${id}`
    const ask = async (): Promise<void> => {
      const result = await callApi<Deployment>('GET', path)
      if (look !== this.#look) return
      // Once known it stays where a later question fails, which is asked again.
      if (result.ok || this.result?.ok !== true) this.result = result
      const isOver = this.result.ok && this.result.data.ended_at !== null
      if (!isOver) this.#timer = setTimeout(() => void ask(), ASK_AGAIN_MS)
    }
    await ask()
  }

  close(): void {
    this.#look += 1
    clearTimeout(this.#timer)
    this.result = null
  }
}
