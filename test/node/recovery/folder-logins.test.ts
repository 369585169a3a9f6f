import { writeFileSync, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { passwdTool } from '#adapters/node/agent/accounts/passwd-tools.ts'
import {
  parseLogins,
  readLogins,
  type Logins,
} from '#adapters/node/agent/recovery/export/logins.ts'
import { bringAccounts } from '#adapters/node/agent/recovery/import/bring-accounts.ts'
import type { ImportJournal } from '#adapters/node/agent/recovery/import/import-journal.ts'
import { aliasesOf, makeAlias, removeAlias } from '#adapters/node/agent/sftp/users/alias-users.ts'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { createAgentFixture } from '#test/node/agent/agent-fixture.ts'

let host: Awaited<ReturnType<typeof createAgentFixture>>
let skipped: string[]
beforeEach(async () => {
  host = await createAgentFixture()
  skipped = []
})
afterEach(() => host?.dispose())

const shadowOf = async (name: string): Promise<string[]> =>
  (await readFile('/etc/shadow', 'utf8'))
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
    ?.split(':') ?? []
const configOf = async () => {
  const file = join(host.directory, 'etc', 'berth.toml')
  mkdirSync(join(host.directory, 'etc'))
  writeFileSync(
    file,
    '[paths]\nstate_dir = "../state"\nhome_base = "../home"\nrun_dir = "../run"\n',
  )
  const loaded = await loadConfig(file)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}
const journal = () =>
  ({
    isDone: () => false,
    markDone: () => undefined,
    skip: (text: string) => void skipped.push(text),
  }) as unknown as ImportJournal

test('users for one folder have their passwords on another machine, and stay closed until they have their folder', async () => {
  const config = await configOf()
  const { username, uid } = await host.account()
  const account = host.registry.account(username)
  if (account === null) throw new Error('the account is not registered')
  const name = `${username}_web`
  const gone = async (): Promise<void> => {
    for (const one of await aliasesOf(account)) await removeAlias(account, one)
  }
  try {
    await makeAlias(account, name)
    await passwdTool('chpasswd', [], `${name}:a password of the designer\n`)
    await makeAlias(account, `${username}_keys`)
    const [, hash] = await shadowOf(name)
    expect(hash).toMatch(/^\$/)
    const { logins, leftOut } = await readLogins([account], [], config)
    expect(leftOut).toEqual([])
    const kept = parseLogins(JSON.stringify(logins))
    expect(kept.folder_users).toEqual([
      { account: username, name, hash },
      { account: username, name: `${username}_keys`, hash: '!' },
    ])

    await gone()
    const hostile: Logins['folder_users'] = [
      { account: username, name: 'root_web', hash: 'x' },
      { account: 'nobody1', name: 'nobody1_web', hash: 'x' },
    ]
    await bringAccounts(journal(), config, { web: null } as never, host.registry, {
      ...kept,
      folder_users: [...kept.folder_users, ...hostile],
    })
    expect(await aliasesOf({ username, uid })).toEqual([name, `${username}_keys`])
    const [, again, , , , , , expires] = await shadowOf(name)
    expect([again, expires]).toEqual([hash, '1'])
    expect((await shadowOf(`${username}_keys`))[1]).toBe('!')
    expect(skipped).toEqual([expect.stringContaining('root_web')])
    expect(await shadowOf('nobody1_web')).toEqual([])
    // An export of before knows none.
    const { folder_users: _, ...older } = kept
    expect(parseLogins(JSON.stringify(older)).folder_users).toEqual([])
  } finally {
    await gone()
  }
})
