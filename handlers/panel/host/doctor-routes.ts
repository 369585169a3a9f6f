import type { Services } from '../../services/services.ts'
import type { Route } from '../frame/route.ts'
import { route } from '../frame/route.ts'
import { examinationSchema, treatmentSchema } from './doctor-schema.ts'

const tag = 'System'
const errors = { 503: 'The host does not answer.' } as const

/** Drift between the panel's records and the host. */
export const doctorRoutes = ({ doctor }: Services): Route[] => [
  route({
    method: 'GET',
    path: '/api/doctor',
    action: 'system',
    tag,
    summary: 'Compares the records with the host',
    description:
      'Accounts, homes, virtual hosts, PHP, databases, certificates, owners and modes of directories and secrets, operations that are open for long, and sites that held up workers of the web server within a day. What a running operation may explain is left out.',
    data: examinationSchema,
    errors,
    handle: () => doctor.examine(),
  }),
  route({
    method: 'POST',
    path: '/api/doctor/fix',
    strict: true,
    action: 'system',
    tag,
    summary: 'Puts right what differs',
    description:
      'Repairs every finding that is `repairable`, each after another look. Users are removed only where the host made them for this installation and the panel has no account of that name: look at `GET /api/doctor` first.',
    data: treatmentSchema,
    errors,
    handle: () => doctor.treat(),
  }),
]
