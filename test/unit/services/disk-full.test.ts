import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { inspectDisks } from '#adapters/node/agent/inspection/disks.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import { diskFull } from '#handlers/errors.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
/** As the kernel says it. */
const fromKernel = (): unknown => thrownBy(() => writeFileSync('/dev/full', 'x'))

test('systems, SQLite and programs say it each in their words', () => {
  const directory = temporaryDirectory('bfull-')
  const database = new Database(join(directory, 'x.db'))
  try {
    database.pragma('max_page_count = 3')
    const sqlite = thrownBy(() => {
      database.exec('CREATE TABLE t (a)')
      database.prepare('INSERT INTO t VALUES (randomblob(100000))').run()
    })
    const program = thrownBy(() =>
      execFileSync('/bin/sh', ['-c', 'cat /etc/passwd > /dev/full'], {
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    for (const error of [fromKernel(), sqlite, program, new Error('a', { cause: fromKernel() })])
      expect(diskFull(error)?.status).toBe(503)
  } finally {
    database.close()
  }
  expect(diskFull(new Error('EIO: i/o error'))).toBeNull()
  expect(diskFull('ENOSPC')).toBeNull()
})

test('the host says it to the panel, and keeps the cause to its log', async () => {
  const log = createRecordingLog()
  const system = { info: () => Promise.reject(fromKernel()) }
  const handle = createHostHandler({ system } as unknown as HostPorts, log)
  const response = await handle(
    new Request('http://agent/system/info', { method: 'POST', body: '{}' }),
  )
  const answer = await response.text()
  expect([response.status, JSON.parse(answer)]).toMatchObject([503, { ok: false, status: 503 }])
  expect(answer).not.toContain('/dev/full')
})

test('each file system is looked at once, and a path that is not there never', () => {
  const [first, ...others] = inspectDisks([tmpdir(), tmpdir(), '/nowhere/at/all'])
  expect(others).toEqual([])
  expect(first).toMatchObject({ path: tmpdir() })
  expect(first!.totalBytes).toBeGreaterThanOrEqual(first!.freeBytes)
})
