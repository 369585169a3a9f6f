import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { randomId } from '#handlers/domain/access/random-id.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import { MOVE_PIECE_BYTES } from '#handlers/ports/host/accounts/moves.ts'
import type { MovesPort } from '#handlers/ports/host/accounts/moves.ts'
import { copyHome } from '#handlers/services/moves/copy-home.ts'
import { receiptOf, relay, withStream } from '#handlers/services/moves/relay.ts'
import { newName } from '#test/node/agent/agent-fixture.ts'
import { createAgentInstance } from '#test/node/agent/agent-process.ts'
import { createLinkInstance, createTestPanel } from '#test/node/link/link-instance.ts'
import { readOptions } from './support/read-options.ts'

const USAGE = `node bench/moves.ts                              50,000 files of 4 kB and a database of 200 MB, from this machine over a link
node bench/moves.ts --files N --database-mb M    so many files, so large a database`

const values = readOptions(USAGE, {
  files: { type: 'string', default: '50000' },
  'database-mb': { type: 'string', default: '200' },
})
const [files, databaseMb] = [Number(values.files), Number(values['database-mb'])]
if (!Number.isInteger(files) || files < 100 || !(databaseMb >= 1)) {
  console.error(`--files must be at least 100, --database-mb at least 1\n\n${USAGE}`)
  process.exit(2)
}
if (process.getuid?.() !== 0) {
  console.error('This makes users: run it as root.')
  process.exit(2)
}

const PER_FOLDER = 500
const ROW_BYTES = 1000
const ROWS_EACH = 500
/** Of all files, changed after the first copy. */
const CHANGED_EVERY = 100

const source = await createAgentInstance()
const link = await createLinkInstance()
const panel = await createTestPanel('panel-1')
link.trust([panel])
for (const agent of [source, link.agent]) {
  const text = readFileSync(agent.at('berth.toml'), 'utf8')
  writeFileSync(agent.at('berth.toml'), text.replace('mariadb = "off"', 'mariadb = "managed"'))
}
await Promise.all([source.start(), link.agent.start()])
await link.startLink()
const target = link.clientOf(panel)

const id = (): { operationId: string } => ({ operationId: randomId() })
const make = async (ports: HostPorts) => {
  const username = newName()
  const user = await ports.users.create({
    ...{ ...id(), username, password: 'a password' },
    ...{ primaryDomain: 'bench.example', diskQuotaMb: 0 },
  })
  const database = { engine: 'mariadb' as const, database: `${username}_shop` }
  // Its server is made when it is first started.
  for (let tries = 0; ; tries += 1)
    try {
      await ports.databases.create({
        ...{ ...id(), username, ...database },
        ...{ user: `${username}_shop`, password: 'a password' },
      })
      break
    } catch (error) {
      if (tries === 60) throw error
      await delay(1000)
    }
  return { user, database }
}
const from = await make(source.client)
const to = await make(target)
/** The target's streams, for the account as it is called there: both are on one machine here. */
const there: MovesPort = {
  ...target.moves,
  begin: (input) => target.moves.begin({ ...input, username: to.user.username }),
}

const write = (every: number): void => {
  for (let index = 0; index < files; index += every) {
    const folder = join(from.user.home, 'public_html', `d${Math.floor(index / PER_FOLDER)}`)
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `f${index}`)
    const half = randomBytes(2048)
    writeFileSync(file, Buffer.concat([half, Buffer.alloc(2048, '<p>text</p>\n')]))
    for (const path of [folder, file]) chownSync(path, from.user.uid, from.user.gid)
  }
}
const fillDatabase = async (): Promise<void> => {
  const { moves } = source.client
  const { database } = from
  const rows = Math.ceil((databaseMb * 1_000_000) / ROW_BYTES)
  const parts: string[] = ['create table goods (id int primary key, text varchar(2000));\n']
  for (let row = 0; row < rows; row += ROWS_EACH) {
    const values = Array.from({ length: ROWS_EACH }, (_, at) => {
      const text = randomBytes(ROW_BYTES / 4).toString('hex')
      return `(${row + at},'${text}${'a word '.repeat(ROW_BYTES / 14)}')`
    })
    parts.push(`insert into goods values ${values.join(',')};\n`)
  }
  parts.push('-- Dump completed\n')
  const packed = gzipSync(Buffer.from(parts.join('')), { level: 1 })
  const stream = { kind: 'load' as const, ...database }
  await withStream(moves, from.user.username, stream, async (load) => {
    const pieces = Math.ceil(packed.length / MOVE_PIECE_BYTES)
    for (let number = 0; number < pieces; number += 1) {
      const bytes = packed.subarray(number * MOVE_PIECE_BYTES, (number + 1) * MOVE_PIECE_BYTES)
      const content = bytes.toString('base64')
      const last = number === pieces - 1
      await moves.write({ streamId: load.streamId, number, content, last })
    }
    await receiptOf(load)
  })
}

const took: { part: string; seconds: number }[] = []
const timed = async <T>(part: string, work: () => Promise<T>): Promise<T> => {
  const began = performance.now()
  const done = await work()
  const seconds = Math.round((performance.now() - began) / 100) / 10
  took.push({ part, seconds })
  console.log(`${part}: ${seconds} s`)
  return done
}
const copy = (since: number | null) =>
  copyHome(source.client.moves, there, from.user.username, since)

try {
  write(1)
  await fillDatabase()
  const { username } = from.user
  const first = await timed('first copy, while the site runs', () => copy(null))
  write(CHANGED_EVERY)
  const frozen = performance.now()
  await timed('freeze', async () => {
    await source.client.users.suspend({ ...id(), username })
    await source.client.databases.setLocked({ ...id(), username, locked: true })
  })
  await timed('second copy', () => copy(first.beganSecs - 1))
  await timed('database', () =>
    withStream(source.client.moves, username, { kind: 'dump', ...from.database }, (dump) =>
      withStream(there, username, { kind: 'load', ...to.database }, async (load) => {
        await relay(dump, load)
        await receiptOf(load)
      }),
    ),
  )
  const { entries, removed } = await timed('comparison', () => copy(null))
  console.log(`different at the end: ${entries + removed}`)
  console.log(`closed for ${((performance.now() - frozen) / 1000).toFixed(1)} s`)
} finally {
  for (const [ports, { user }] of [
    [source.client, from],
    [target, to],
  ] as const)
    await ports.users.remove({ ...id(), username: user.username })
  await Promise.all([source.dispose(), link.dispose()])
}
