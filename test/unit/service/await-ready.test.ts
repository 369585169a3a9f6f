import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { formatIdentity, identifyProcess } from '#adapters/node/process/process-identity.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

const ENTRY = join(import.meta.dirname, '../../../adapters/node/bin/await-ready.ts')
let supervisor: ChildProcess
beforeEach(() => {
  makeDirectory()
  supervisor = spawn('/usr/bin/sleep', ['60'], { stdio: 'ignore' })
})
afterEach(() => {
  supervisor.kill('SIGKILL')
})

/** As systemd runs it. */
const wait = (pid: number | undefined, limitSecs: number) =>
  spawnSync(
    process.execPath,
    [ENTRY, '--run-dir', directory, '--log-dir', '/var/log/x', '--limit-secs', String(limitSecs)],
    { env: { MAINPID: String(pid) }, encoding: 'utf8' },
  )

it('ends well when that supervisor says that everything serves', () => {
  const identity = identifyProcess(supervisor.pid ?? 0)
  if (identity === null) throw new Error('It has ended.')
  writeFileSync(join(directory, 'supervisor.ready'), formatIdentity(identity))
  expect(wait(supervisor.pid, 60)).toMatchObject({ status: 0, stdout: '', stderr: '' })
})

it('fails when its time is over, though another one serves', () => {
  writeFileSync(join(directory, 'supervisor.ready'), `${process.pid} 1\n`)
  expect(wait(supervisor.pid, 0)).toMatchObject({
    status: 1,
    stderr: 'Berth did not get ready in 0 s. Look into /var/log/x.\n',
  })
})

it('fails when there is no such process', () => {
  expect(wait(undefined, 60)).toMatchObject({ status: 1, stderr: '' })
})
