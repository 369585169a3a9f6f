/**
 * Calls `turn` after a pause, again and again; each pause begins when the turn before it is over.
 * A turn that fails is `failed`'s to tell.
 */
export const repeatAfter = (
  pauseMs: number,
  turn: () => Promise<void>,
  failed: (error: unknown) => void,
): { stop(): void } => {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const plan = (): void => {
    if (stopped) return
    timer = setTimeout(() => void turn().catch(failed).then(plan), pauseMs).unref()
  }
  plan()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
