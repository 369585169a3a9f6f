import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { startHelper } from '#adapters/node/agent/files/helper-process.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

/** Helpers whose tenant took them over, each with its own idea of the protocol. */
const LIES: Record<string, string> = {
  'announces 4 GB': 'process.stdout.write(Buffer.from([255, 255, 255, 255, 0, 0, 0, 1]))',
  'floods without a frame': 'setInterval(() => process.stdout.write(Buffer.alloc(65536, 120)), 1)',
  'sends an empty frame': 'process.stdout.write(Buffer.alloc(8))',
  'sends a header longer than its frame':
    'process.stdout.write(Buffer.from([0, 0, 0, 4, 0, 0, 9, 9]))',
  'sends no JSON': 'send("{{{")',
  'answers another question': 'send(JSON.stringify({ id: 99, ok: true, data: [] }))',
  'sends another shape': 'send(JSON.stringify({ id: 1, ok: true, data: { a: 1 } }))',
  'names a path': `send(JSON.stringify({ id: 1, ok: true, data: [{ name: '../../etc/passwd',
    type: 'file', sizeBytes: 1, mode: 0, mtimeMs: 0, uid: 0 }] }))`,
  'sends nested JSON': `send('[' .repeat(500000))`,
  'invents a status': `send(JSON.stringify({ id: 1, ok: 'maybe', status: 200 }))`,
  'never answers': 'setInterval(() => undefined, 1000)',
  'exits at once': 'process.exit(0)',
}

describe('a helper that its tenant took over', () => {
  beforeAll(makeDirectory)

  it.each(Object.entries(LIES))('that %s is ended with a 503', async (_label, lie) => {
    const entry = join(directory, `${Math.random().toString(36).slice(2)}.mjs`)
    const preamble = `const send = (text) => {
      const json = Buffer.from(text), head = Buffer.alloc(8)
      head.writeUInt32BE(4 + json.length, 0); head.writeUInt32BE(json.length, 4)
      process.stdout.write(Buffer.concat([head, json]))
    }
    process.stdout.on('error', () => process.exit(0))
    process.stdin.once('data', () => { ${lie} })`
    await writeFile(entry, preamble)
    const account = { username: 'lied', uid: 0, gid: 0, home: directory }
    const helper = startHelper(account, false, entry)
    await expect(helper.ask({ op: 'list', path: '' }, { timeoutMs: 1500 })).rejects.toMatchObject({
      status: 503,
    })
    expect(helper.ended).toBe(true)
    await helper.end()
  })

  it('cannot pass a failure of its own invention', async () => {
    const entry = join(directory, 'status.mjs')
    await writeFile(
      entry,
      `process.stdin.once('data', () => {
        const json = Buffer.from(JSON.stringify({ id: 1, ok: false, status: 200, message: 'x', reason: null }))
        const head = Buffer.alloc(8)
        head.writeUInt32BE(4 + json.length, 0); head.writeUInt32BE(json.length, 4)
        process.stdout.write(Buffer.concat([head, json]))
      })`,
    )
    const account = { username: 'lied', uid: 0, gid: 0, home: directory }
    const helper = startHelper(account, false, entry)
    await expect(
      helper.ask({ op: 'list', path: '' }, { timeoutMs: 30_000 }),
    ).rejects.not.toHaveProperty('status')
    await helper.end()
  })
})
