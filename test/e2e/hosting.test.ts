import { shareInstance, someSuites, suite } from '#test/support/setups/shared-instance.ts'

shareInstance({ business: false })

suite('sites', () => import('./sites.ts'))
someSuites(
  'hosting',
  [
    ['backups', () => import('./backups.ts')],
    ['an application with a front controller', () => import('./front-controller.ts')],
    ['phpMyAdmin', () => import('./phpmyadmin.ts')],
    ['the page cache', () => import('./cache.ts')],
    ['churn', () => import('./churn.ts')],
  ],
  { keep: 1 },
)
