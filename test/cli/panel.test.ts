import { afterAll, beforeAll } from 'vitest'
import { shareInstance, someSuites } from '#test/support/setups/shared-instance.ts'
import { beginResident, endResident } from './support/run-berth.ts'

shareInstance({ business: false })

beforeAll(beginResident)
afterAll(endResident)

someSuites(
  'commands with a panel',
  [
    ['accounts', () => import('./accounts.ts')],
    ['applications', () => import('./applications/applications.ts')],
    ['cron', () => import('./cron.ts')],
    ['database addresses', () => import('./databases/database-addresses.ts')],
    ['database users', () => import('./databases/database-users.ts')],
    ['mail', () => import('./messages/mail.ts')],
    ['notifications', () => import('./messages/notifications.ts')],
    ['people', () => import('./access/people.ts')],
    ['resellers', () => import('./access/resellers.ts')],
    ['schedules', () => import('./schedules.ts')],
    ['server', () => import('./server.ts')],
    ['backends of sites', () => import('./domains/site-backends.ts')],
    ['settings of sites', () => import('./domains/site-settings.ts')],
    ['PHP of sites', () => import('./domains/site-php.ts')],
    ['tests of rules', () => import('./domains/site-test.ts')],
    ['snapshots', () => import('./snapshots.ts')],
  ],
  { keep: 3 },
)
