import { once } from 'node:events'
import { lstat, readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newName } from './agent-fixture.ts'
import { createAgentInstance } from './agent-process.ts'
import type { AgentInstance } from './agent-process.ts'

/** `nobody` stands for the ordinary user who started Berth. */
const NOBODY = { uid: 65534, gid: 65534, groups: 'none' } as const

describe('agent of an ordinary user', () => {
  let instance: AgentInstance
  beforeAll(async () => {
    instance = await createAgentInstance(NOBODY)
  })
  afterAll(async () => {
    await instance.dispose()
  })

  it('hosts accounts as that user, without OS users', async () => {
    const agent = await instance.start()
    expect(agent.said, agent.stderr()).toEqual({ type: 'ready' })
    const { users, files } = instance.client
    const username = newName()
    const user = await users.create({
      operationId: 'create',
      username,
      password: 'a password',
      primaryDomain: 'rootless.example',
      diskQuotaMb: 10,
    })
    expect([user.uid, user.gid]).toEqual([NOBODY.uid, NOBODY.gid])
    const home = await lstat(user.home)
    expect([home.uid, home.mode & 0o777]).toEqual([NOBODY.uid, 0o710])
    await files.write({ username, path: 'public_html/x', content: 'y', encoding: 'utf8' })
    await expect(
      files.write({ username, path: 'no/such/x', content: 'y', encoding: 'utf8' }),
    ).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('folder "no/such" does not exist') as string,
    })
    const [entry] = await files.list({ username, path: 'public_html' })
    expect(entry?.owner).toBe('nobody')
    expect(await users.diskUsedMb({ username })).toBe(0)
    await users.suspend({ operationId: 'suspend', username })
    expect(await users.list()).toEqual([{ ...user, suspended: true }])
    await users.unsuspend({ operationId: 'lift', username })
    expect((await lstat(instance.at('run', 'agent.sock'))).mode & 0o777).toBe(0o600)
    await users.remove({ operationId: 'remove', username })
    expect(await readdir(instance.at('home'))).toEqual([])
    agent.child.kill('SIGTERM')
    expect(await once(agent.child, 'exit')).toEqual([0, null])
  })
})
