import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { fullDisks } from '#adapters/node/agent/machine/full-disks.ts'
import { readDisks } from '#adapters/node/agent/machine/read-disks.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import { AppError, diskFull, isAppError, unavailable, whileDiskFull } from '#handlers/errors.ts'
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

test('each file system is looked at once, with all that lies on it, and a path that is not there never', () => {
  const [first, ...others] = readDisks([
    { path: tmpdir(), holds: 'homes' },
    { path: tmpdir(), holds: 'logs' },
    { path: '/nowhere/at/all', holds: 'backups' },
  ])
  expect(others).toEqual([])
  expect(first).toMatchObject({ holds: ['homes', 'logs'], paths: [tmpdir(), tmpdir()] })
  expect(first!.totalBytes).toBeGreaterThanOrEqual(first!.freeBytes)
  expect(fullDisks([{ path: tmpdir(), holds: 'homes' }])).toBeNull()
})

const fault = new Error('ER_CANT_CREATE_DB')
test.each<[string, unknown, string | null, string | null]>([
  ['a fault while no disk is full is no disk', fault, null, null],
  ['what says so itself is blamed on a disk', fromKernel(), null, '503 A disk of this server'],
  [
    'the disk is named by what it holds',
    fromKernel(),
    'homes and backups',
    '503 The disk of this server that holds homes and backups is full',
  ],
  ['any fault is blamed on it', fault, 'homes', '503 The disk of this server that holds homes'],
  [
    'what is not available keeps its own words',
    unavailable('MariaDB does not answer.'),
    'databases',
    '503 MariaDB does not answer. The disk of this server that holds databases is full',
  ],
  ["a caller's mistake stays one", new AppError(409, 'Taken.'), 'homes', '409 Taken.'],
])('%s', (_name, error, holds, expected) => {
  const told = whileDiskFull(error, holds)
  if (expected === null) expect(told).toBe(error)
  else expect(isAppError(told) ? `${told.status} ${told.message}` : told).toContain(expected)
})
