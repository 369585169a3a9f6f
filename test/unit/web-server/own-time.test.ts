import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { OwnTime } from '#adapters/node/web-server/files/own-time.ts'

const directory = mkdtempSync(join(tmpdir(), 'own-time-'))
const file = join(directory, 'schedstat')
afterAll(() => rmSync(directory, { recursive: true }))

const lost = (ms: number): void => writeFileSync(file, `123456789 ${ms * 1e6} 77\n`)

it('takes off what the thread waited for a processor, each millisecond once', () => {
  lost(30)
  const time = new OwnTime(file)
  expect(time.of(40)).toBe(10)
  expect(time.of(40)).toBe(40)
  lost(35)
  expect(time.of(40)).toBe(35)
  lost(1000)
  expect(time.of(40)).toBe(0)
  expect(time.of(40)).toBe(40)
})

it('takes nothing off where the system keeps no such numbers', () => {
  expect(new OwnTime(join(directory, 'none')).of(7)).toBe(7)
  writeFileSync(file, '')
  expect(new OwnTime(file).of(7)).toBe(7)
})

it('leaves what the thread itself used, whatever else runs', () => {
  const usedMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const time = new OwnTime()
  time.of(0)
  const beganMs = usedMs()
  const startMs = performance.now()
  while (usedMs() - beganMs < 20);
  const tookMs = performance.now() - startMs
  const ownMs = time.of(tookMs)
  expect(ownMs).toBeGreaterThan(15)
  expect(ownMs).toBeLessThanOrEqual(tookMs)
})
