import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import type { ConnectionServices } from '../http1/connection-services.ts'

/** What every HTTP/2 connection of a worker shares. */
export interface Http2Services extends Omit<ConnectionServices, 'handOver' | 'targets'> {
  hosts: () => VirtualHostTable
  /** Bytes; 0 is unlimited. */
  maxBodyBytes: number
  /** Requests at sites, of all connections of the worker. */
  load: { running: number }
  /** Within what time a whole request must have arrived. */
  requestMs: number
}

/** One request under way. */
export interface StreamState {
  startedMs: number
  /** When the client last took something of the response. */
  progressMs: number
  /** Whether the request's body is still to come. */
  receiving: boolean
  /** When the stream is closed although its body is not read; null: not planned. */
  closeAtMs: number | null
  /** We closed it ourselves. */
  closedByUs: boolean
}
