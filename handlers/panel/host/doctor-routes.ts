import type { Services } from '../../services/services.ts'
import { routesOf } from '../frame/routes-of.ts'
import { examinationSchema, treatmentSchema } from './doctor-schema.ts'

const on = routesOf('System')
const errors = { 503: 'The host does not answer.' } as const

/** Drift between the panel's records and the host, and the machine beneath. */
export const doctorRoutes = ({ doctor }: Services) => [
  on.system.get('/api/doctor', {
    summary: 'Compares the records with the host, and looks at the machine',
    description:
      'Accounts, homes, virtual hosts, PHP, databases, certificates, owners and modes of directories and secrets, operations that are open for long, and sites that held up workers of the web server within a day. Of the machine: disks and what fills them, memory, clock, processes of the installation that ended, ports held by others, database servers, certificates that run out, backups that failed or are overdue, pending updates of packages by the lists on the machine, limits of the kernel. What a running operation may explain is left out; what cannot be looked at is told in `skipped`.',
    data: examinationSchema,
    errors,
    handle: () => doctor.examine(),
  }),
  on.system.post('/api/doctor/fix', {
    strict: true,
    summary: 'Puts right what differs',
    description:
      'Repairs every finding that is `repairable`, each after another look. Users are removed only where the host made them for this installation and the panel has no account of that name: look at `GET /api/doctor` first.',
    data: treatmentSchema,
    errors,
    handle: () => doctor.treat(),
  }),
]
