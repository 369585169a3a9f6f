import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockRunDirectory } from '#adapters/node/agent/single-agent.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-lock-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe('the lock of a run directory', () => {
  it('has one holder, and another when that one is gone', () => {
    const first = lockRunDirectory(directory)
    expect(() => lockRunDirectory(directory)).toThrow('Another agent already works on')
    first.release()
    lockRunDirectory(directory).release()
  })

  it('is a file that nobody else can read, and so lock; also when an older one could be read', () => {
    const file = join(directory, 'agent.lock')
    writeFileSync(file, '')
    chmodSync(file, 0o644)
    const lock = lockRunDirectory(directory)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    lock.release()
  })
})
