import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createUserManagers } from '#adapters/node/sshd/user-managers.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

let units: string
let linger: string
let runtime: string
let calls: string[]
let errors: unknown[]
const managers = () =>
  createUserManagers(
    { info: () => undefined, warn: () => undefined, error: (...said) => errors.push(said) },
    { units, linger, runtime, systemctl: async (...args) => calls.push(args.join(' ')) },
  )
const fileOf = (uid: number): string => join(units, `user@${uid}.service.d`, 'berth.conf')

beforeEach(() => {
  units = temporaryDirectory('um-')
  linger = temporaryDirectory('um-')
  runtime = temporaryDirectory('um-')
  calls = []
  errors = []
})

test('an account gets no systemd of its own, and who has its number later does', async () => {
  managers().keepOut(1001)
  expect(readFileSync(fileOf(1001), 'utf8')).toMatch(/^ExecStart=\nExecStart=\/bin\/true$/m)
  await managers().letGo({ username: 'one', uid: 1001 })
  await managers().letGo({ username: 'two', uid: 1002 })
  expect(readdirSync(units)).toEqual([])
  expect([errors, calls]).toEqual([[], []])
})

test('of a deleted account that lingered logind keeps nothing, and the service ends only once nobody would start it anew', async () => {
  managers().keepOut(1001)
  for (const name of ['one', 'other']) writeFileSync(join(linger, name), '')
  mkdirSync(join(runtime, '1001'))
  const seen: boolean[] = []
  const systemctl = async (...args: string[]): Promise<void> => {
    calls.push(args.join(' '))
    seen.push(existsSync(join(linger, 'one')), existsSync(fileOf(1001)))
    throw new Error('no bus')
  }
  const log = { info: () => undefined, warn: () => undefined, error: () => errors.push('told') }
  await createUserManagers(log, { units, linger, runtime, systemctl }).letGo({
    ...{ username: 'one', uid: 1001 },
  })
  expect(calls).toEqual(['stop -- user@1001.service user-runtime-dir@1001.service'])
  expect(seen).toEqual([false, true])
  expect([readdirSync(linger), readdirSync(units), errors]).toEqual([['other'], [], ['told']])
})

test('at a start all accounts are kept out, what runs already is ended, once', async () => {
  managers().keepOut(1001)
  managers().keepOut(1009)
  await managers().keepOutAll([1001, 1002, 1003])
  expect([1001, 1002, 1003, 1009].map((uid) => existsSync(fileOf(uid)))).toEqual([
    ...[true, true, true, false],
  ])
  const all = ['daemon-reload', 'try-restart -- user@1002.service user@1003.service']
  expect(calls).toEqual(all)
  await managers().keepOutAll([1001, 1002, 1003])
  expect(calls).toEqual(all)
})

test('what an administrator set for a user stays', async () => {
  const own = join(units, 'user@1001.service.d')
  mkdirSync(own)
  writeFileSync(join(own, 'mine.conf'), '')
  managers().keepOut(1001)
  await managers().keepOutAll([])
  expect(readdirSync(own)).toEqual(['mine.conf'])
})
