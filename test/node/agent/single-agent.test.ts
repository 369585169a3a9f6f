import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { lockRunDirectory } from '#adapters/node/agent/single-agent.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

beforeEach(makeDirectory)

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
