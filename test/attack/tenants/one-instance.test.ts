import { shareInstance, suite } from '#test/support/setups/shared-instance.ts'

shareInstance({ business: true })

// What measures memory comes before what takes some, what reads a log before what fills it.
suite('files that are read by many at once', () => import('../file-flood.ts'))
suite('what PHP writes to its standard error', () => import('../php-errors.ts'))
suite('hooks', () => import('../panel/hooks.ts'))
suite('the session of the panel', () => import('../panel/panel-session.ts'))
suite('neighbours', () => import('./tenants.ts'))
suite('neighbours and the page cache', () => import('./cache-tenants.ts'))
suite('neighbours and purges', () => import('../cache/cache-purges.ts'))
suite('cron jobs', () => import('./cron.ts'))
suite('snapshots', () => import('./snapshots.ts'))
suite('logs', () => import('../panel/logs.ts'))
// Last, because so many logins fail there that no more are taken from this address.
suite('injection', () => import('../panel/injection.ts'))
