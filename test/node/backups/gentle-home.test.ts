import { readFileSync } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { processesOf } from '#adapters/node/agent/accounts/end-processes.ts'
import { packHome } from '#adapters/node/agent/backups/home-tar.ts'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { createHostFixture } from '#test/node/agent-php/host-fixture.ts'
import type { HostFixture } from '#test/node/agent-php/host-fixture.ts'

let host: HostFixture
let account: RegisteredAccount
beforeAll(async () => {
  host = await createHostFixture()
  account = await host.createAccount()
  // More than the pipe between takes, so that tar waits for who reads.
  const file = `${account.home}/public_html/big`
  await writeFile(file, '')
  await truncate(file, 20 * 2 ** 20)
})
afterAll(() => host?.dispose())

const tarOf = async (): Promise<number> => {
  for (;;)
    for (const pid of await processesOf(account.uid))
      if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'tar') return pid
}
const nicenessOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])

it.each([
  [true, 19, 'idle'],
  [false, getPriority(), 'none'],
])(
  'reads a home, gently %s, at niceness %i in the class %s of the disk',
  async (gently, nice, io) => {
    const { username, home, uid, gid } = account
    const owner = { username, home, runAs: { uid, gid, groups: 'none' as const } }
    const stream = packHome(owner, () => undefined, gently)
    const pid = await tarOf()
    const { stdout } = await mustRun('ionice', ['-p', String(pid)])
    expect([nicenessOf(pid), stdout.split(':')[0]?.trim()]).toEqual([nice, io])
    let bytes = 0
    for await (const chunk of stream) bytes += (chunk as Buffer).length
    expect(bytes).toBeGreaterThan(20 * 2 ** 20)
  },
)
