import type { HostInspection } from '../../ports/host/inspection.ts'
import type { Diagnosis } from './finding.ts'

/** Accounts whose programs are held one by one only, since the system gives no groups for them. */
export const findUnheldAccounts = ({ unheldAccounts }: HostInspection): Diagnosis[] =>
  unheldAccounts === null
    ? []
    : [
        {
          kind: 'limit',
          level: 'warning',
          subject: 'accounts',
          what: `are not held to the processor and memory that their plans give all their programs together: ${unheldAccounts}`,
          why: 'One account can slow down all others. Each of its processes is bound by itself alone.',
          fix: 'Start Berth as a service of systemd, or let the container divide its control groups (delegation); docs/limits.md says how.',
          repair: null,
          username: null,
        },
      ]
