import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeExport } from '#adapters/node/agent/backups/copies/write-export.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'

const MEBI = 2 ** 20
let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-export-'))
})
afterAll(() => rm(directory, { recursive: true }))

/** Its dump is `mebibytes` long, and packs well where it is `even`. */
const engineOf = (mebibytes: number, even: boolean): Engine =>
  ({
    whenReady: async () => undefined,
    dumpEnd: /-- done$/,
    dump: () =>
      Readable.from(
        (function* () {
          for (let at = 0; at < mebibytes; at++)
            yield even ? Buffer.alloc(MEBI, 'a') : crypto.getRandomValues(Buffer.alloc(65_536))
          yield Buffer.from('-- done')
        })(),
      ),
  }) as unknown as Engine

const write = async (format: 'sql' | 'gz' | 'zip', even: boolean, maxBytes: number) => {
  const file = path.join(directory, crypto.randomUUID())
  await writeExport({
    ...{ engine: engineOf(64, even), database: 'shop', format, file, maxBytes },
    ...{ now: new Date('2026-11-24'), onBytes: () => undefined },
  })
  return file
}

it.each(['sql', 'gz', 'zip'] as const)(
  'an export as %s is no longer than the disk has room for',
  async (format) => {
    await expect(write(format, false, 2 * MEBI)).rejects.toMatchObject({ status: 413 })
  },
)

it('counts what lies on the disk in the end', async () => {
  await expect(write('sql', true, 2 * MEBI)).rejects.toMatchObject({ status: 413 })
  const packed = await write('gz', true, 2 * MEBI)
  expect((await stat(packed)).size).toBeLessThan(2 * MEBI)
  expect((await readFile(packed)).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
})
