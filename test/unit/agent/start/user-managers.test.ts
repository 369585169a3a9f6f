import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createUserManagers } from '#adapters/node/sshd/user-managers.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

let units: string
let calls: string[]
let errors: unknown[]
const managers = () =>
  createUserManagers(
    { info: () => undefined, warn: () => undefined, error: (...said) => errors.push(said) },
    { units, systemctl: async (...args) => calls.push(args.join(' ')) },
  )
const fileOf = (uid: number): string => join(units, `user@${uid}.service.d`, 'berth.conf')

beforeEach(() => {
  units = temporaryDirectory('um-')
  calls = []
  errors = []
})

test('an account gets no systemd of its own, and who has its number later does', () => {
  managers().keepOut(1001)
  expect(readFileSync(fileOf(1001), 'utf8')).toMatch(/^ExecStart=\nExecStart=\/bin\/true$/m)
  managers().letIn(1001)
  managers().letIn(1002)
  expect(readdirSync(units)).toEqual([])
  expect(errors).toEqual([])
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
