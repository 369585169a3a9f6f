import { describe, expect, it } from 'vitest'
import { createHostClient, HostFault, WrongAnswer } from '#adapters/shared/host-rpc/host-client.ts'
import { AppError } from '#handlers/errors.ts'
import { GOOD_ANSWERS } from './good-answers.ts'
import { GOOD_ARGUMENTS as GOOD } from './good-arguments.ts'
import { METHODS, rpcOver } from './rpc-over.ts'

describe('host RPC', () => {
  it('has an example of every method here', () => {
    expect(METHODS.map(([path]) => path).sort()).toEqual(Object.keys(GOOD).sort())
  })

  it.each(METHODS)('carries argument and answer of %s', async (path, port, method) => {
    const seen: unknown[] = []
    const { call } = rpcOver(async (called, input) => {
      seen.push(called, input)
      return GOOD_ANSWERS[path]
    })
    expect(await call(port, method, GOOD[path])).toEqual(GOOD_ANSWERS[path])
    expect(seen).toEqual([path, GOOD[path]])
  })

  it.each(METHODS.filter(([path]) => GOOD[path] !== undefined))(
    'refuses %s without or with a wrong argument',
    async (path, port, method) => {
      const { call } = rpcOver(async () => {
        throw new Error('must not be reached')
      })
      await expect(call(port, method)).rejects.toMatchObject({ status: 400 })
      const good = GOOD[path] as Record<string, unknown>
      for (const key of Object.keys(good))
        for (const wrong of [null, 17.5, {}, ['\0'], 'a\0b']) {
          // The content of a file may hold any character.
          if (key === 'content' && typeof wrong === 'string') continue
          // The panel's own certificate and DNS access are nobody's, a certificate needs no webroot and no challenge, and nothing may be kept or replaced.
          if (
            wrong === null &&
            ['username', 'webroot', 'keep', 'challenge', 'replaces'].includes(key) &&
            ['certificates', 'dnsAccess'].includes(port)
          )
            continue
          // PHP may be tested as nobody.
          if (wrong === null && path === 'php/test' && key === 'username') continue
          // A deployment goes on.
          if (wrong === null && path === 'applications/tellPush' && key === 'ended') continue
          // No secret is changed.
          if (JSON.stringify(wrong) === '{}' && key === 'secrets') continue
          // A job may need no PHP, and a target keep the secret that it has.
          if (wrong === null && path === 'cron/start' && key === 'phpVersion') continue
          if (wrong === null && path === 'targets/save' && key === 'secret') continue
          // The rules as they are, and nothing but what every request has.
          if (wrong === null && key === 'draft') continue
          if (key === 'headers' && JSON.stringify(wrong) === '{}') continue
          // All cookies that the site was seen to set.
          if (wrong === null && path === 'pageCache/forgetCookie' && key === 'name') continue
          // Null: there was no batch yet, any version of the file will do, from the end, whatever the lag.
          const open = ['acknowledged', 'identity', 'before', 'maxLagBytes']
          if (wrong === null && open.includes(key)) continue
          await expect(
            call(port, method, { ...good, [key]: wrong }),
            `${key} ${JSON.stringify(wrong)}`,
          ).rejects.toMatchObject({ status: 400 })
        }
    },
  )

  it('keeps status, text and field of an expected failure', async () => {
    const { call, logged } = rpcOver(async () => {
      throw new AppError(409, 'The name is taken.', { field: 'username' })
    })
    const failure = await call('users', 'create', GOOD['users/create']).catch((error) => error)
    expect(failure).toBeInstanceOf(AppError)
    expect(failure).toMatchObject({ status: 409, message: 'The name is taken.', field: 'username' })
    expect(logged).toEqual([])
  })

  it('logs a fault and tells nothing of it', async () => {
    const { call, logged } = rpcOver(async () => {
      throw new Error('SECRET', { cause: new Error('deeper') })
    })
    const failure = await call('system', 'info').catch((error) => error)
    expect(failure).toBeInstanceOf(HostFault)
    expect(String(failure)).not.toContain('SECRET')
    expect(logged.join()).toContain('SECRET')
    expect(logged.join()).toContain('deeper')
  })

  it('answers null where there is nothing to answer', async () => {
    const { call } = rpcOver(async () => undefined)
    expect(await call('users', 'operation', GOOD['users/operation'])).toBeNull()
  })

  it('knows no other paths, verbs or bodies', async () => {
    const { handler } = rpcOver(async () => null)
    const ask = async (path: string, init: RequestInit) =>
      (await handler(new Request(`http://agent${path}`, init))).status
    const body = '{}'
    for (const path of ['/', '/users', '/users/list/', '/users/toString', '/__proto__/toString'])
      expect(await ask(path, { method: 'POST', body })).toBe(404)
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(await ask('/users/list', { method })).toBe(405)
    for (const broken of ['', '[]', 'null', '"x"', '{'])
      expect(await ask('/users/list', { method: 'POST', body: broken })).toBe(400)
  })

  it('takes a broken answer for an agent that is going away', async () => {
    const client = createHostClient(async () => new Response('{"ok":tr'))
    await expect(client.users.list()).rejects.toMatchObject({ status: 503 })
    const strange = createHostClient(async () => Response.json({ fine: true }))
    await expect(strange.users.list()).rejects.toBeInstanceOf(WrongAnswer)
  })
})
