import { shareInstance, suite } from '#test/support/setups/shared-instance.ts'

shareInstance({ business: true })

suite('PHP without an agent', () => import('./php-without-agent.ts'))
suite('jobs', () => import('./jobs.ts'))
suite('each process', () => import('./kill.ts'))
