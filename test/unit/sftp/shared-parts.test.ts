import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JailRoom, MountOptions } from '#adapters/node/agent/sftp/jail-room.ts'
import { createSharedParts } from '#adapters/node/agent/sftp/shells/shared-parts.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

const READ = ['ro', 'nosuid', 'nodev']

test('what is run out of the own file system of a room, where nothing can be run, is allowed by name, as devices are', async () => {
  const top = temporaryDirectory('parts-')
  const mounts: { source: string; below: string; flags: readonly string[] }[] = []
  const room: JailRoom = {
    top,
    isLinked: () => true,
    namespace: '/proc/self/ns/mnt',
    mount: async (source: string, below: string, { flags = [] }: MountOptions = {}) => {
      mounts.push({ source, below, flags })
    },
    unmount: () => Promise.resolve(),
    close: () => undefined,
  }
  await createSharedParts().make(room)

  const own = mounts.filter(({ source }) => source.startsWith(join(top, '/')))
  expect(own.map(({ below }) => below)).toEqual(
    expect.arrayContaining([expect.stringMatching(/\/post-receive$/)]),
  )
  // mount(8) of util-linux 2.39 and later keeps what a source has where nothing is said of it; earlier ones do not.
  for (const { below, flags } of own) expect([below, flags]).toEqual([below, [...READ, 'exec']])
  const devices = mounts.filter(({ source }) => source.startsWith('/dev/'))
  expect(devices.length).toBeGreaterThan(3)
  for (const { below, flags } of devices) expect([below, flags[0]]).toEqual([below, 'dev'])
})
