import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { AccountCpu } from '#adapters/node/agent/accounts/account-cpu.ts'

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4)
type Process = [pid: string, parent: number, uid: number, ms: number]

/** What was counted after each look. */
const counted = (...looks: Process[][]): number[] => {
  const cpu = new AccountCpu({
    uids: () => new Map([['alice', 2001]]),
    nowMs: () => NOW_MS,
    read: () => new Map(looks.shift()?.map(([pid, parent, uid, ms]) => [pid, { parent, uid, ms }])),
  })
  cpu.stop()
  const sums: number[] = []
  while (looks.length > 0) {
    cpu.look()
    sums.push(cpu.read('alice').reduce((sum, { ms }) => sum + ms, 0))
  }
  return sums
}

test('counts what processes used since they were seen first, new ones whole', () => {
  const master: Process = ['10', 1, 2001, 500]
  expect(
    counted(
      [master],
      [
        ['10', 1, 2001, 540],
        ['11', 10, 2001, 200],
      ],
      [
        ['10', 1, 2001, 540],
        ['11', 10, 2001, 250],
      ],
    ),
  ).toEqual([0, 240, 290])
})

test('what an ended process had used is not counted again in its parent', () => {
  const begin: Process[] = [
    ['10', 1, 2001, 0],
    ['11', 10, 2001, 0],
  ]
  const middle: Process[] = [
    ['10', 1, 2001, 0],
    ['11', 10, 2001, 300],
  ]
  // Another 20 ms before its end, which its parent has waited for.
  expect(counted(begin, middle, [['10', 1, 2001, 320]])).toEqual([0, 300, 320])
  // Its parent is nobody of the account.
  expect(counted([['12', 1, 2001, 100]], [['12', 1, 2001, 150]], [])).toEqual([0, 50, 50])
})

test('a number that is used again is another process', () => {
  expect(counted([['10', 1, 2001, 900]], [['10', 1, 2001, 30]])).toEqual([0, 30])
})

test('reads real processes, those that have ended within others included', async () => {
  const uid = 64_123
  const cpu = new AccountCpu({ uids: () => new Map([['bob', uid]]), nowMs: () => NOW_MS })
  cpu.stop()
  cpu.look()
  // By its own processor time: on a busy machine others have a part of the clock's.
  const busy =
    'for (let used = 0; used < 400_000;) { const { user, system } = process.cpuUsage(); used = user + system }'
  const script = `require('child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(busy)}]); ${busy} process.stdout.write('done'); setTimeout(() => {}, 20000)`
  const child = spawn(process.execPath, ['-e', script], {
    uid,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
  cpu.look()
  child.kill('SIGKILL')
  const [{ ms = 0 } = {}] = cpu.read('bob')
  expect(ms).toBeGreaterThan(700)
  expect(ms).toBeLessThan(5000)
})
