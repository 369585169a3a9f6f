import type { Application } from '$lib/api/types'
import { loadAnew } from '$lib/state/load-anew'

const UNDER_WAY_MS = 2000
const USUAL_MS = 15_000

const ENDED: readonly (Application['deployment_state'] | null)[] = [
  ...(['live', 'failed', 'superseded'] as const),
  null,
]

/** Whether something of it will be otherwise soon. */
const isUnderWay = ({ state, deployment_state }: Application): boolean =>
  state === 'starting' || state === 'waiting' || !ENDED.includes(deployment_state)

/** Reads applications anew, often while one of them is being deployed or started. */
export const keepCurrent = (applications: () => readonly Application[]): void => {
  $effect(() => {
    const rows = applications()
    if (rows.length === 0) return
    const wait = rows.some(isUnderWay) ? UNDER_WAY_MS : USUAL_MS
    const timer = setTimeout(() => void loadAnew('berth:applications'), wait)
    return () => clearTimeout(timer)
  })
}
