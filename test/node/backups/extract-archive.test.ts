import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { beforeAll, expect, it } from 'vitest'
import { createArchiveKeys } from '#adapters/node/agent/backups/records/archive-keys.ts'
import { extractArchive } from '#adapters/node/agent/backups/extract-archive.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

let home = ''
beforeAll(() => {
  home = temporaryDirectory('berth-extract-')
})

it('ends when what extracts ends long before the archive does', async () => {
  const tar = pack()
  const manifest = {
    version: 1,
    username: 'lena',
    created_at: '2026-01-01 00:00:00',
    databases: [],
  }
  tar.entry({ name: 'manifest.json' }, JSON.stringify(manifest))
  for (let n = 0; n < 40; n += 1) tar.entry({ name: `home/f${n}` }, Buffer.alloc(2 ** 18))
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  const file = path.join(home, 'lena.tar.gz')
  await writeFile(file, gzipSync(Buffer.concat(chunks)))
  const extracting = extractArchive({
    file,
    owner: { username: 'lena', home, runAs: null },
    keys: createArchiveKeys(path.join(home, 'keys')),
    onManifest: () => undefined,
    staging: 'missing',
    chosen: null,
    dumpsDir: null,
    wantsDump: () => false,
    walkBytes: 2 ** 30,
    limits: { maxEntries: 1000, maxBytes: 2 ** 30 },
    maxDumpBytes: 0,
    onHome: () => undefined,
  })
  await expect(extracting).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('could not be written into the home of lena') as string,
  })
})
