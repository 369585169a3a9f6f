import { expect, test } from 'vitest'
import { createHelperPool, patienceOf } from '#adapters/node/agent/files/helper-pool.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

test('what works in homes is waited for longer where the configuration says that the machine is slow', async () => {
  expect([1, 60, 600].map(patienceOf)).toEqual([1, 1, 10])
  const home = temporaryDirectory('berth-slow-')
  const account = { username: 'slow', uid: process.getuid?.() ?? 0, gid: 0, home }
  // A helper takes a tenth of a second at the least until it answers.
  const ask = async (patience: number): Promise<unknown> => {
    const pool = createHelperPool({ asRoot: false, patience })
    try {
      return await pool.ask(account, { op: 'ensure', path: 'one' }, { timeoutMs: 10 })
    } finally {
      await pool.endAll()
    }
  }
  await expect(ask(1)).rejects.toThrow('did not answer in time')
  await expect(ask(2000)).resolves.toBeDefined()
})
