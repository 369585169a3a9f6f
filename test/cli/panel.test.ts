import { afterAll, beforeAll } from 'vitest'
import { shareInstance, suite } from '#test/support/setups/shared-instance.ts'
import { beginResident, endResident } from './support/run-berth.ts'

shareInstance({ business: false })

beforeAll(beginResident)
afterAll(endResident)

suite('accounts', () => import('./accounts.ts'))
suite('applications', () => import('./applications/applications.ts'))
suite('cron', () => import('./cron.ts'))
suite('database addresses', () => import('./databases/database-addresses.ts'))
suite('database users', () => import('./databases/database-users.ts'))
suite('mail', () => import('./messages/mail.ts'))
suite('notifications', () => import('./messages/notifications.ts'))
suite('people', () => import('./access/people.ts'))
suite('resellers', () => import('./access/resellers.ts'))
suite('schedules', () => import('./schedules.ts'))
suite('server', () => import('./server.ts'))

suite('settings of sites', () => import('./domains/site-settings.ts'))
suite('PHP of sites', () => import('./domains/site-php.ts'))
suite('tests of rules', () => import('./domains/site-test.ts'))
suite('snapshots', () => import('./snapshots.ts'))
