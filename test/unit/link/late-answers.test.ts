import { expect, it } from 'vitest'
import { createLateAnswers } from '#adapters/node/agent/calls/late-answers.ts'
import { mayBeAsked } from '#adapters/shared/host-rpc/host-role.ts'
import { HOST_METHODS } from '#adapters/shared/host-rpc/methods.ts'

it('an answer that comes in time is given at once, and is not kept', async () => {
  const late = createLateAnswers()
  const answer = await late.answer('a', 1000, Promise.resolve(new Response('fine')))
  expect(await answer?.text()).toBe('fine')
  expect(await late.of('a', 0)).toBeNull()
})

it('a late answer is told once to whoever asks for it, and while it is waited for it runs', async () => {
  const late = createLateAnswers()
  const gate = Promise.withResolvers<Response>()
  expect(await late.answer('a', 1, gate.promise)).toBeNull()
  expect(await late.of('a', 1)).toBe('running')
  const asked = late.of('a', 10_000)
  gate.resolve(new Response('fine', { status: 409 }))
  expect(await asked).toEqual({ status: 409, body: 'fine' })
  expect(await late.of('a', 0)).toBeNull()
})

it('late answers are bounded in number, the oldest goes first', async () => {
  const late = createLateAnswers(60_000, 2)
  for (const id of ['a', 'b', 'c']) {
    const gate = Promise.withResolvers<Response>()
    await late.answer(id, 1, gate.promise)
    gate.resolve(new Response(id))
    await gate.promise.then(() => new Promise(setImmediate))
  }
  expect(await late.of('a', 0)).toBeNull()
  expect(await late.of('c', 1000)).toEqual({ status: 200, body: 'c' })
})

it('a front is asked for what visitors and their pages need, and for nothing of accounts', () => {
  const all = Object.entries(HOST_METHODS).flatMap(([port, methods]) =>
    Object.keys(methods).map((method) => `${port}/${method}`),
  )
  // What a machine shows as a front it has from nobody's account.
  expect(all.filter((method) => !mayBeAsked('host', method))).toEqual(
    all.filter((method) => method.startsWith('frontSites/')),
  )
  const ports = new Set(
    all.filter((method) => mayBeAsked('front', method)).map((method) => method.split('/')[0]),
  )
  expect([...ports].sort()).toEqual(
    ['frontSites', 'inspection', 'logs', 'pageCache', 'system', 'webChannel', 'webServer'].sort(),
  )
  for (const method of ['session', 'toString', 'webServer', 'users/create', 'webServer/'])
    expect(mayBeAsked('front', method), method).toBe(false)
})
