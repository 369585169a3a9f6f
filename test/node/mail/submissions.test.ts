import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openMailDatabase } from '#adapters/node/mail/mail-database.ts'
import { createMailRecords } from '#adapters/node/mail/mail-records.ts'
import { createMailService, type MailService } from '#adapters/node/mail/mail-service.ts'
import { createMessageFiles } from '#adapters/node/mail/message-files.ts'
import { createNews } from '#adapters/node/mail/news.ts'
import type { QueueContext } from '#adapters/node/mail/queue-context.ts'
import { serveSubmissions } from '#adapters/node/mail/submission-server.ts'
import { takeMessage } from '#adapters/node/mail/take-message.ts'
import { createUsage } from '#adapters/node/mail/usage.ts'
import { completeMail } from '#handlers/domain/config/mail/mail-section.ts'

const HEAD = { sender: null, fullName: null, recipients: [], extract: true }
const MESSAGE = Buffer.from('Subject: whole\nTo: r@e.example\nX-Last: 1\n\nthe text\n')
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const frame = (piece: Buffer): Buffer => {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(piece.length)
  return Buffer.concat([size, piece])
}
const ofBytes = (message: Buffer): Buffer[] => [...message].map((byte) => Buffer.from([byte]))

let directory: string
let context: QueueContext
let service: MailService
let db: ReturnType<typeof openMailDatabase>

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-mail-'))
  db = openMailDatabase(join(directory, 'mail.db'))
  const nowMs = (): number => Date.now()
  const config = completeMail({}, () => null)
  context = {
    config: () => config,
    hello: () => 'server.example',
    records: createMailRecords(db),
    files: createMessageFiles(join(directory, 'messages')),
    usage: createUsage(db, nowMs),
    news: createNews(db, nowMs),
    account: async () => ({ suspended: false, domains: ['own.example'] }),
    nowMs,
    log,
  }
  service = createMailService(context, () => undefined)
})
afterEach(async () => {
  await service.stop()
  db.close()
  await rm(directory, { recursive: true, force: true })
})

it('reads a head whole, wherever it is cut into pieces', async () => {
  const cuts = [
    ofBytes(MESSAGE),
    // One character of a line, behind a line's end, ends a piece.
    [MESSAGE.subarray(0, 16), MESSAGE.subarray(16, 32), MESSAGE.subarray(32)],
    [MESSAGE],
  ]
  for (const pieces of cuts) {
    const source = (async function* () {
      yield* pieces
    })()
    const id = await takeMessage(context, 'alice', HEAD, source)
    const { text } = await service.source({ id })
    expect(text).toContain('Subject: whole\r\nTo: r@e.example\r\nX-Last: 1\r\n')
    expect(text.split('\r\n\r\n').slice(1)).toEqual(['the text\r\n'])
    expect((await service.message({ id })).recipients).toHaveLength(1)
  }
})

it('passes on together what came together, however small its frames are', async () => {
  const bytes = Buffer.alloc(50_000, 'a')
  let pieces = 0
  let length = 0
  const server = await serveSubmissions(
    directory,
    async (_head, source) => {
      for await (const piece of source) {
        pieces += 1
        length += piece.length
      }
      return 'id'
    },
    log,
  )
  const socket = connect(join(directory, 'submit.sock'))
  socket.write(`${JSON.stringify(HEAD)}\n`)
  socket.write(Buffer.concat([...ofBytes(bytes).map(frame), Buffer.alloc(4)]))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(JSON.parse(answer.toString())).toEqual({ code: 0, id: 'id' })
  expect(length).toBe(bytes.length)
  expect(pieces).toBeLessThan(1000)
  socket.destroy()
  server.close()
})

it('keeps nothing of what an account was sending when it was removed', async () => {
  await service.open({ username: 'alice', directory, suspended: false })
  const socket = connect(join(directory, 'submit.sock'))
  socket.write(`${JSON.stringify(HEAD)}\n`)
  socket.write(frame(MESSAGE))
  const eml = async () => (await readdir(join(directory, 'messages'))).length
  await expect.poll(eml).toBe(1)
  await service.forget({ username: 'alice' })
  await once(socket, 'close')
  await expect.poll(eml).toBe(0)
  const all = { sort: 'created_at', order: 'desc', offset: 0, limit: 10 } as const
  expect(await service.list({ username: 'alice', ...all })).toEqual({ rows: [], total: 0 })
})

it('asks indexes alone for what concerns the messages of everybody', () => {
  const plan = (sql: string): string =>
    db
      .prepare<[], { detail: string }>(`explain query plan ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join('; ')
  expect(plan('select sum(size) as n from messages where has_source = 1')).toContain(
    'COVERING INDEX stored',
  )
  expect(
    plan(
      `select id, ended_at, row_number() over (partition by account order by created_at desc)
       from messages where ended_at is not null`,
    ),
  ).toContain('COVERING INDEX ended_of')
  expect(plan('select * from messages order by created_at desc, id limit 50')).toContain(
    'INDEX newest',
  )
})

it('takes what the panel says though accounts have filled the queue', async () => {
  const id = await takeMessage(context, 'alice', HEAD, Readable.from([MESSAGE]))
  const kept = context.records.find(id)
  if (kept === null) throw new Error('it is not there')
  const share = context.config().keep_size / 4
  for (const account of ['bob', 'carol', 'dave', 'erin'])
    context.records.put({ ...kept, id: account, account, sizeBytes: share })
  await expect(takeMessage(context, 'alice', HEAD, Readable.from([MESSAGE]))).rejects.toMatchObject(
    { kind: 'limit' },
  )
  await expect(
    service.submit({ to: 'admin@e.example', subject: 'full', text: 'x' }),
  ).resolves.toMatchObject({ state: 'kept' })
})
