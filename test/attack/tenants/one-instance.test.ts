import { shareInstance, someSuites } from '#test/support/setups/shared-instance.ts'

shareInstance({ business: true })

someSuites(
  'attacks by neighbours',
  [
    // What measures memory comes before what takes some, what reads a log before what fills it.
    ['files that are read by many at once', () => import('../file-flood.ts')],
    ['what PHP writes to its standard error', () => import('../php-errors.ts')],
    ['hooks', () => import('../panel/hooks.ts')],
    ['the session of the panel', () => import('../panel/panel-session.ts')],
    ['neighbours', () => import('./tenants.ts')],
    ['neighbours and the page cache', () => import('./cache-tenants.ts')],
    ['neighbours and purges', () => import('../cache/cache-purges.ts')],
    ['cron jobs', () => import('./cron.ts')],
    ['snapshots', () => import('./snapshots.ts')],
    ['logs', () => import('../panel/logs.ts')],
    // Last, because so many logins fail there that no more are taken from this address.
    ['injection', () => import('../panel/injection.ts')],
  ],
  { keep: 3 },
)
