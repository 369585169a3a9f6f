import { once } from 'node:events'
import { lstat, readdir, stat } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processesOf } from '#adapters/node/agent/accounts/end-processes.ts'
import { sampled } from '#test/support/sampled.ts'
import { eventually } from '../web-server/support/web-process.ts'
import { lineOf, newName } from './agent-fixture.ts'
import { createAgentInstance, killHard } from './agent-process.ts'
import type { AgentInstance } from './agent-process.ts'

/** The agent as a process, spoken to over its sockets. */
describe('agent process', () => {
  let instance: AgentInstance
  let agent: Awaited<ReturnType<AgentInstance['start']>>
  const made = new Set<string>()
  let serial = 0
  const operationId = (): string => `agent-test-${(serial += 1)}`
  const wanted = (username = newName()) => {
    made.add(username)
    return {
      operationId: operationId(),
      username,
      password: 'a password',
      primaryDomain: 'agent.example',
      diskQuotaMb: 100,
    }
  }
  /** What became of an operation. An agent serves after a moment, though some may still be open. */
  const settled = async (key: { operationId: string; username: string }) => {
    let state = await instance.client.users.operation(key)
    await eventually('the operation is settled', async () => {
      state = await instance.client.users.operation(key)
      return state?.state !== 'open'
    })
    return state
  }
  beforeAll(async () => {
    instance = await createAgentInstance()
    agent = await instance.start()
    expect(agent.said).toEqual({ type: 'ready' })
  })
  afterAll(async () => {
    for (const username of made)
      await instance.client.users.remove({ operationId: operationId(), username })
    await instance.dispose()
  })

  it('serves accounts and files over its socket', async () => {
    const { users, files, system } = instance.client
    const input = wanted()
    const user = await users.create(input)
    expect(user.home).toBe(instance.at('home', input.username))
    expect(await users.list()).toContainEqual({ ...user, suspended: false })
    await files.write({
      username: user.username,
      path: 'public_html/a.txt',
      content: 'grüße',
      encoding: 'utf8',
    })
    const content = await files.read({
      username: user.username,
      path: 'public_html/a.txt',
      maxBytes: 100,
    })
    expect(content.content).toBe('grüße')
    expect((await system.info()).memory_total_mb).toBeGreaterThan(0)
    expect(await instance.client.databases.engines()).toEqual([])
    await expect(files.list({ username: user.username, path: 'no' })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('"no"'),
    })
  })

  it('has one helper do all file operations of an account, so that none waits for a start', async () => {
    const user = await instance.client.users.create(wanted())
    const list = () => instance.client.files.list({ username: user.username, path: '' })
    await list()
    const helper = await processesOf(user.uid)
    expect(helper).toHaveLength(1)
    for (let i = 0; i < 10; i += 1) await list()
    await Promise.all(Array.from({ length: 10 }, list))
    expect(await processesOf(user.uid)).toEqual(helper)
  })

  it('checks every argument and method', async () => {
    const post = (path: string, input: unknown, method = 'POST') =>
      instance.ask(new Request(`http://agent${path}`, { method, body: JSON.stringify({ input }) }))
    expect((await post('/users/create', { ...wanted(), diskQuotaMb: 'much' })).status).toBe(400)
    expect((await post('/users/remove', { operationId: 'a b', username: 'btabcdef' })).status).toBe(
      400,
    )
    for (const username of ['../etc', 'a;b', '-x', 'ROOT', 'a\nb', ''])
      expect((await post('/users/remove', { operationId: 'a', username })).status).toBe(400)
    expect((await post('/users/nothing', {})).status).toBe(404)
    expect((await post('/users/constructor', {})).status).toBe(404)
    expect((await post('/__proto__/toString', {})).status).toBe(404)
    expect((await post('/users/list', undefined, 'PUT')).status).toBe(405)
    const broken = await instance.ask(
      new Request('http://agent/users/list', { method: 'POST', body: '{' }),
    )
    expect(broken.status).toBe(400)
  })

  it('keeps its sockets and registry to those they are for', async () => {
    for (const name of ['agent.sock', 'agent-web.sock'])
      expect((await stat(instance.at('run', name))).mode & 0o007).toBe(0)
    expect((await stat(instance.at('state', 'agent'))).mode & 0o777).toBe(0o700)
  })

  it('offers the web server PHP of known hosts and nothing else', async () => {
    const ask = (path: string, body: unknown) =>
      instance.askWeb(
        new Request(`http://agent${path}`, { method: 'POST', body: JSON.stringify(body) }),
      )
    expect((await ask('/php/ensure', { domain: 'unknown.example' })).status).toBe(404)
    expect((await ask('/php/ensure', { domain: 1 })).status).toBe(400)
    expect((await ask('/users/list', {})).status).toBe(404)
  })

  it('refuses to be started twice, and says what to do', async () => {
    const second = await instance.start()
    expect(second.said.type).toBe('failed')
    expect(second.said.message).toContain('run_dir')
    expect(await instance.client.users.list()).toBeInstanceOf(Array)
  })

  it('undoes a creation that kill -9 interrupted, at whatever point', async () => {
    const pausesMs = [5, 20, 35, 50, 65, 80, 100, 130]
    for (const pauseMs of sampled('kill -9 in a creation', pausesMs, { keep: 4 })) {
      const input = wanted()
      const creation = instance.client.users.create(input).then(
        () => 'created',
        () => 'broken off',
      )
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      await killHard(agent.child)
      const outcome = await creation
      agent = await instance.start()
      expect(agent.said).toEqual({ type: 'ready' })
      const state = await settled(input)
      if (outcome === 'created') expect(state).toEqual({ state: 'done' })
      const names = (await instance.client.users.list()).map((user) => user.username)
      expect(names.includes(input.username)).toBe(state?.state === 'done')
      if (state?.state === 'done') continue
      expect([null, 'undone']).toContain(state?.state ?? null)
      for (const file of ['/etc/passwd', '/etc/group', '/etc/shadow'])
        expect(await lineOf(file, input.username)).toBeNull()
      expect(await lstat(instance.at('home', input.username)).catch(() => null)).toBeNull()
    }
    const created = await instance.client.users.create(wanted())
    expect(created.uid).toBeGreaterThanOrEqual(20_000)
  })

  it('finishes a removal and a suspension that kill -9 interrupted', async () => {
    const pausesMs = [5, 25, 45, 70, 100]
    for (const pauseMs of sampled('kill -9 in a removal', pausesMs, { keep: 3 })) {
      const user = await instance.client.users.create(wanted())
      const { username } = user
      const suspend = { operationId: operationId(), username }
      const suspension = instance.client.users.suspend(suspend).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, pauseMs / 3))
      await killHard(agent.child)
      await suspension
      agent = await instance.start()
      await settled(suspend)
      const now = (await instance.client.users.list()).find((one) => one.username === username)
      const passwd = await lineOf('/etc/passwd', username)
      expect(passwd?.endsWith('nologin')).toBe(now?.suspended)

      const removal = { operationId: operationId(), username }
      const removing = instance.client.users.remove(removal).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      await killHard(agent.child)
      await removing
      agent = await instance.start()
      const state = await settled(removal)
      expect([null, 'done']).toContain(state?.state ?? null)
      if (state === null) continue
      for (const file of ['/etc/passwd', '/etc/group', '/etc/shadow'])
        expect(await lineOf(file, username)).toBeNull()
      expect(await readdir(instance.at('home'))).not.toContain(username)
      const left = await readdir(instance.at('home'))
      expect(left.filter((name) => name.startsWith('.berth-trash'))).toEqual([])
      expect(await processesOf(user.uid)).toEqual([])
    }
  })

  it('leaves no helper behind when it is killed', async () => {
    const user = await instance.client.users.create(wanted())
    await instance.client.files.list({ username: user.username, path: '' })
    expect(await processesOf(user.uid)).toHaveLength(1)
    await killHard(agent.child)
    await expect.poll(() => processesOf(user.uid), { interval: 5 }).toEqual([])
    await expect(
      instance.client.files.list({ username: user.username, path: '' }),
    ).rejects.toMatchObject({ status: 503, message: expect.stringContaining('not reachable') })
    agent = await instance.start()
  })

  it('stops on SIGTERM with what it started, and when its supervisor is gone', async () => {
    const user = await instance.client.users.create(wanted())
    agent.child.kill('SIGTERM')
    expect(await once(agent.child, 'exit')).toEqual([0, null])
    expect(await processesOf(user.uid)).toEqual([])
    agent = await instance.start()
    await instance.client.files.list({ username: user.username, path: '' })
    agent.child.disconnect()
    expect(await once(agent.child, 'exit')).toEqual([0, null])
    expect(await processesOf(user.uid)).toEqual([])
    agent = await instance.start()
    expect(agent.said).toEqual({ type: 'ready' })
  })
})
