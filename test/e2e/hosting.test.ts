import { shareInstance, suite } from '#test/support/setups/shared-instance.ts'

shareInstance({ business: false })

suite('sites', () => import('./sites.ts'))
suite('backups', () => import('./backups.ts'))
suite('an application with a front controller', () => import('./front-controller.ts'))
suite('phpMyAdmin', () => import('./phpmyadmin.ts'))
suite('the page cache', () => import('./cache.ts'))
suite('churn', () => import('./churn.ts'))
