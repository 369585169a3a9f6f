import { shareInstance, suite } from '#test/support/setups/shared-instance.ts'

// Five accounts are all that there may be.
shareInstance({ business: false, administrator: false })

// The first of all, because it makes the administrator.
suite('access to the panel', () => import('./panel/panel-access.ts'))
suite('what is shown', () => import('./panel/exposure.ts'))
suite('what is closed', () => import('./closing.ts'))
