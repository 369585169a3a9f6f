import { readFileSync, readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KeptFile } from '#adapters/node/web-server/kept-file.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

beforeEach(makeDirectory)
afterEach(() => {
  vi.restoreAllMocks()
})

it('has on the disk what was saved: the new content first, then the name', async () => {
  const handle = await open(directory, 'r')
  const handles = Object.getPrototypeOf(handle) as typeof handle
  await handle.close()
  const synced: string[] = []
  const { sync } = handles
  vi.spyOn(handles, 'sync').mockImplementation(function (this: typeof handle) {
    synced.push(readlinkSync(`/proc/self/fd/${this.fd}`))
    return sync.call(this)
  })
  const file = join(directory, 'cache', 'known.json')
  const warned: unknown[] = []
  const log = { warn: (...said: unknown[]) => void warned.push(said) }
  await new KeptFile(file, () => ({ a: 1 }), log, 'not written').save()
  expect(readFileSync(file, 'utf8')).toBe('{"a":1}')
  expect(synced).toEqual([`${file}.new`, join(directory, 'cache')])
  expect(warned).toEqual([])
})
