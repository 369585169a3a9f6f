import { gunzipSync, gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { expect, test } from 'vitest'
import { readTar } from '#adapters/node/archives/tar-reader.ts'

const LIMITS = { maxEntries: 10, maxBytes: 1000 }
const archive = async (): Promise<Buffer> => {
  const tar = pack()
  for (const name of ['one', 'two', 'three']) tar.entry({ name }, `content of ${name}`)
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

test.each([0, 1, 2, 3, 4, 5, 6])(
  'a source that fails after %i blocks ends it, whatever its reader is at',
  async (blocks) => {
    const whole = gunzipSync(gzipSync(await archive()))
    async function* failing(): AsyncGenerator<Buffer> {
      yield whole.subarray(0, blocks * 512)
      throw new Error('the source is gone')
    }
    for (const wait of [true, false])
      for (const reads of [true, false]) {
        const read = readTar(failing(), LIMITS, async (_, content) => {
          // Whoever makes a folder first asks for the content later than it fails.
          if (wait) await new Promise((resolve) => setImmediate(resolve))
          if (reads) for await (const _piece of content) if (wait) await Promise.resolve()
        })
        await expect(read).rejects.toThrow('the source is gone')
      }
  },
)
