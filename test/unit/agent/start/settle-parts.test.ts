import { expect, test } from 'vitest'
import { settleParts } from '#adapters/node/agent/settle-parts.ts'

test('a part of the host that fails keeps no other from being settled', async () => {
  const done: string[] = []
  const logged: unknown[] = []
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (...said: unknown[]) => logged.push(said),
  }
  await settleParts(
    {
      mail: () => Promise.reject(new Error('it does not serve')),
      'log-ins': async () => {
        throw new Error('no sshd')
      },
      applications: async () => done.push('applications'),
    },
    log,
  )
  expect(done).toEqual(['applications'])
  expect(logged).toMatchObject([
    ['a part of the host was not settled', { part: 'mail', error: 'Error: it does not serve' }],
    ['a part of the host was not settled', { part: 'log-ins' }],
  ])
})
