import { expect, test } from 'vitest'
import { unauthenticated } from '#handlers/errors.ts'
import type { AccountRow, DatabaseRow } from '#handlers/ports/store/records.ts'
import { aloneHost } from '#handlers/services/on-hosts/panel-hosts.ts'
import { createDatabaseTool } from '#handlers/services/databases/tool.ts'
import type { ToolHolder } from '#handlers/services/databases/tool.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

const row = { engine: 'mariadb', database_name: 'alice_shop', database_user: 'alice_shop' }

const setUp = ({
  instance,
  living = () => [],
}: { instance?: string; living?: () => string[] } = {}) => {
  const clock = createFakeClock()
  const open = new Map<string, string>()
  const panels = new Map<string, string | undefined>()
  let mayGoOn = true
  let storeFails = false
  const tool = createDatabaseTool({
    clock,
    log: createRecordingLog(),
    ...(instance === undefined ? {} : { instance }),
    store: {
      accountById: async () => ({ id: 1, username: 'alice', status: 'active' }) as AccountRow,
      listDatabases: async () => [row as DatabaseRow],
      livingInstances: async () => living(),
    } as never,
    host: aloneHost({
      databaseTool: {
        open: async (given: { sessionId: string; panel?: string; database: string }) => {
          open.set(given.sessionId, given.database)
          panels.set(given.sessionId, given.panel)
          return { socket: '/s', script: '/i.php', server: 'x', user: 'u', password: 'p' }
        },
        close: async ({ sessionId }: { sessionId: string }) => void open.delete(sessionId),
        closeAll: async ({ except }: { except: string[] }) => {
          for (const id of [...open.keys()])
            if (!except.includes(panels.get(id) ?? '')) open.delete(id)
        },
      },
    } as never),
  })
  const holder: ToolHolder = {
    user: 'account:1',
    clientAddress: '192.0.2.1',
    async reauthenticate() {
      if (storeFails) throw new Error('the disk is away')
      if (!mayGoOn) throw unauthenticated()
    },
  }
  const ticket = () => tool.ticket({ accountId: 1, name: 'shop', engine: null }, holder)
  return {
    ...{ tool, clock, open, panels, holder, ticket },
    logOut: () => void (mayGoOn = false),
    failStore: (fails: boolean) => void (storeFails = fails),
  }
}
const GONE = expect.objectContaining({ status: 404 })

test('a ticket is good once, for a minute, and from the address that asked', async () => {
  const { tool, clock, open, ticket } = setUp()
  const used = await ticket()
  const secret = await tool.redeem(used, '192.0.2.1')
  expect([...open.values()]).toEqual(['alice_shop'])
  await expect(tool.redeem(used, '192.0.2.1')).rejects.toEqual(GONE)
  await expect(tool.session(secret, '192.0.2.2')).rejects.toEqual(GONE)
  expect(await tool.session(secret, '192.0.2.1')).toMatchObject({ database: 'alice_shop' })
  const stolen = await ticket()
  await expect(tool.redeem(stolen, '192.0.2.2')).rejects.toEqual(GONE)
  // Who tried it has used it up.
  await expect(tool.redeem(stolen, '192.0.2.1')).rejects.toEqual(GONE)
  const late = await ticket()
  clock.advanceSecs(60)
  await expect(tool.redeem(late, '192.0.2.1')).rejects.toEqual(GONE)
})

test('one user has few tickets at a time', async () => {
  const { clock, ticket } = setUp()
  for (let made = 0; made < 10; made += 1) await ticket()
  await expect(ticket()).rejects.toMatchObject({ status: 429 })
  clock.advanceSecs(60)
  await ticket()
})

test('a session ends without use, after some hours, and with the right of its holder', async () => {
  const { tool, clock, open, ticket, logOut, failStore } = setUp()
  const idle = await tool.redeem(await ticket(), '192.0.2.1')
  clock.advanceSecs(29 * 60)
  await tool.session(idle, '192.0.2.1')
  clock.advanceSecs(31 * 60)
  await tool.check()
  expect(open.size).toBe(0)
  const long = await tool.redeem(await ticket(), '192.0.2.1')
  for (let passed = 0; passed < 24; passed += 1) {
    clock.advanceSecs(10 * 60)
    await tool.session(long, '192.0.2.1')
  }
  clock.advanceSecs(60)
  await expect(tool.session(long, '192.0.2.1')).rejects.toEqual(GONE)
  expect(open.size).toBe(0)
  const last = await tool.redeem(await ticket(), '192.0.2.1')
  // A store that is away for a moment lets nobody in, and ends nothing.
  failStore(true)
  await expect(tool.session(last, '192.0.2.1')).rejects.toThrow('the disk is away')
  await tool.check()
  expect(open.size).toBe(1)
  failStore(false)
  await tool.session(last, '192.0.2.1')
  const unused = await ticket()
  logOut()
  await tool.check()
  expect(open.size).toBe(0)
  await expect(tool.redeem(unused, '192.0.2.1')).rejects.toEqual(GONE)
})

test('a panel that starts, or another that ended, ends no session of those that live', async () => {
  let living = ['one', 'two', 'three']
  const { tool, open, panels, ticket } = setUp({ instance: 'one', living: () => living })
  const left = (): string[] => [...open.keys()]
  for (const [id, panel] of [
    ['left', 'one'],
    ['of-two', 'two'],
    ['of-three', 'three'],
    ['of-nobody', 'gone'],
  ] as const) {
    open.set(id, 'shop')
    panels.set(id, panel)
  }
  await tool.begin()
  expect(left()).toEqual(['of-two', 'of-three'])
  await tool.redeem(await ticket(), '192.0.2.1')
  await tool.endAbandoned()
  expect(left()).toHaveLength(3)
  living = ['one', 'three']
  await tool.endAbandoned()
  expect(left()).toEqual(['of-three', expect.any(String)])
})
