import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDiskWriter } from '#adapters/node/web-server/cache/disk/disk-writer.ts'
import { createPurgeMarks } from '#edge-cache/index.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

it('tells of a store that is damaged, and makes it anew, whoever asks first', async () => {
  const warnings: string[] = []
  const directory = temporaryDirectory('berth-writer-')
  const file = join(directory, 'pages.db')
  const disk = openDiskWriter(file, {
    limitBytes: 2 ** 20,
    memory: true,
    marks: createPurgeMarks(),
    log: {
      info: () => undefined,
      warn: (message) => void warnings.push(message),
      error: (message) => void warnings.push(message),
    },
  })
  try {
    expect(disk.stats()).toMatchObject({ entries: 0 })
    for (const one of readdirSync(directory))
      writeFileSync(join(directory, one), 'this is no database, and long enough to be read')
    disk.stats()
    disk.sites()
    disk.rebuild()
    expect(disk.fault).toBeNull()
    expect(disk.stats()).toMatchObject({ entries: 0 })
    expect(disk.sites()).toEqual({})
  } finally {
    await disk.close()
  }
})
