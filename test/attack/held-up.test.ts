import { shareInstance, suite } from '#test/support/setups/shared-instance.ts'

shareInstance({ business: true })

// Attacks on the time of others.
suite('links that lead through links', () => import('./tenants/slow-links.ts'))
suite('.htaccess', () => import('./htaccess.ts'))
suite('.htaccess and PHP', () => import('./htaccess-php.ts'))
