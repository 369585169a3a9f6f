import type { ManagementPort, ServerStatus } from './management-port.ts'
import type { WorkerStall } from '../ports/host/web/worker-stall.ts'

/** What everybody may know of a stall: nothing about sites. */
type OpenStall = Pick<WorkerStall, 'at' | 'secs' | 'ended'>

/** The status with the stalls of the last day; the requests they were in only where the token was given (`known`). */
export const serveStatus = async (
  port: ManagementPort,
  known: boolean,
): Promise<ServerStatus & { stalls: readonly (OpenStall | WorkerStall)[] }> => {
  const stalls = port.stalls?.() ?? []
  return {
    ...(await port.status()),
    stalls: known ? stalls : stalls.map(({ at, secs, ended }) => ({ at, secs, ended })),
  }
}
