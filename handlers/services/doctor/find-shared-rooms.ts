import type { HostInspection } from '../../ports/host/inspection.ts'
import type { Diagnosis } from './finding.ts'

/** Accounts that see more of each other than they should, since the system gives them no rooms of their own. */
export const findSharedRooms = ({ sharedRooms }: HostInspection): Diagnosis[] =>
  sharedRooms === null
    ? []
    : [
        {
          kind: 'isolation',
          subject: 'accounts',
          what: `see the others' processes and files in /tmp: ${sharedRooms}`,
          fix: 'Let the agent make mount namespaces: run berth service install once more, or give the container CAP_SYS_ADMIN.',
          repair: null,
          username: null,
        },
      ]
