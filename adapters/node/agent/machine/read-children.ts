import type { MachineChild } from '#handlers/ports/host/machine.ts'
import type { SupervisorState } from '../../service/supervisor-state.ts'
import { NotSeen } from './seen.ts'

const DAY_MS = 86_400_000

const stateOf = (state: SupervisorState | null): SupervisorState => {
  if (state === null) throw new NotSeen('no supervisor of this installation runs')
  return state
}

/** Processes of the installation with their ends within a day. */
export const childrenOf = (state: SupervisorState | null, nowMs: number): MachineChild[] =>
  stateOf(state).children.map(({ name, running, ends }) => ({
    name,
    running,
    ends: ends.filter(({ atMs }) => nowMs - atMs <= DAY_MS),
  }))

/** Ports of the sites that could not be opened. */
export const portsOf = (state: SupervisorState | null): string[] => stateOf(state).ports
