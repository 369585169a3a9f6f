import type { CallRecords } from '../registry/calls.ts'

/** Longer answers are not kept: none of a method that changes something is. */
const MAX_KEPT_CHARS = 2 ** 20
const POLL_MS = 25_000

/** What became of a call whose answer was lost. */
export type CallOutcome =
  /** It goes on; ask again. */
  | { state: 'running' }
  /** Status and body of its answer; the body is null where it held a secret or was too long. */
  | { state: 'answered'; answer: { status: number; body: string } | null }
  /** The agent ended while it ran; what became of it, the operation's record says. */
  | { state: 'cut-off'; operationId: string | null }
  /** It never came, and is refused from now on. */
  | { state: 'unseen' }

/** Remembers calls that change something, so that nobody has to repeat them blindly. */
export interface CallOutcomes {
  /**
   * Runs a call and keeps its answer for a day. Null: it is known, or somebody was told that it never
   * came; nothing is run then. A call goes on where its caller is gone.
   */
  run(
    call: {
      id: string
      method: string
      operationId: string | null
      /** Whether the body is a secret, which is written down nowhere. */
      isSecret?: boolean
    },
    work: () => Promise<Response>,
  ): Promise<Response | null>
  /** What became of a call; waits up to 25 s for one that runs. */
  outcome(id: string): Promise<CallOutcome>
}

/** Over the registry's records; `pollMs` is how long `outcome` waits at most. */
export const createCallOutcomes = (records: CallRecords, pollMs = POLL_MS): CallOutcomes => {
  const running = new Map<string, Promise<void>>()

  const work = async (
    id: string,
    isSecret: boolean,
    run: () => Promise<Response>,
  ): Promise<Response> => {
    let kept: string | null = null
    try {
      const response = await run()
      const body = await response.clone().text()
      if (!isSecret && body.length <= MAX_KEPT_CHARS)
        kept = JSON.stringify({ status: response.status, body })
      return response
    } finally {
      records.settle(id, kept)
      running.delete(id)
    }
  }

  return {
    async run({ id, method, operationId, isSecret = false }, run) {
      if (!records.begin(id, method, operationId)) return null
      const answered = work(id, isSecret, run)
      const ended = answered.then(
        () => undefined,
        () => undefined,
      )
      running.set(id, ended)
      return answered
    },
    async outcome(id) {
      const ended = running.get(id)
      if (ended !== undefined) {
        let timer: NodeJS.Timeout | undefined
        const late = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, pollMs)
        })
        await Promise.race([ended, late])
        clearTimeout(timer)
      }
      const call = records.find(id)
      if (call === null) {
        records.refuse(id)
        return { state: 'unseen' }
      }
      switch (call.state) {
        case 'running':
          return { state: 'running' }
        case 'refused':
          return { state: 'unseen' }
        case 'cut-off':
          return { state: 'cut-off', operationId: call.operationId }
        case 'answered':
          return {
            state: 'answered',
            answer:
              call.answer === null
                ? null
                : (JSON.parse(call.answer) as { status: number; body: string }),
          }
      }
    },
  }
}
