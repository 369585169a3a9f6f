import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createHelperPool } from '#adapters/node/agent/files/helper-pool.ts'
import { awaitTaskRoom, countTasks } from '#adapters/node/agent/host/await-task-room.ts'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { TENANT_TASKS } from '#adapters/node/process/as-user.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

/** No account of the machine. */
const UID = 64_123

describe('a file helper that its account killed', () => {
  test('is replaced without the next question noticing, and only for what may be asked twice', async () => {
    const home = temporaryDirectory('berth-lost-')
    const pool = createHelperPool({ asRoot: false })
    const account = { username: 'lost', uid: process.getuid?.() ?? 0, gid: 0, home }
    const kill = (): void => {
      const found = findProcesses(({ commandLine }) => commandLine.endsWith(` ${home}`))
      expect(found).toHaveLength(1)
      for (const { pid } of found) process.kill(pid, 'SIGKILL')
    }
    try {
      await pool.ask(account, { op: 'ensure', path: 'one' })
      kill()
      await pool.ask(account, { op: 'ensure', path: 'two' })
      kill()
      await expect(pool.ask(account, { op: 'delete', path: 'two' })).rejects.toMatchObject({
        status: 503,
      })
      const { data } = await pool.ask(account, { op: 'list', path: '' })
      expect(data.map(({ name }) => name).sort()).toEqual(['one', 'two'])
    } finally {
      await pool.endAll()
    }
  })
})

describe('a file helper of an account whose processes are ended', () => {
  test('is not started meanwhile: what is asked then is told to try again', async () => {
    const home = mkdtempSync(join(tmpdir(), 'berth-closed-'))
    const pool = createHelperPool({ asRoot: false })
    const account = { username: 'closed', uid: process.getuid?.() ?? 0, gid: 0, home }
    const list = () => pool.ask(account, { op: 'list', path: '' })
    try {
      await list()
      await pool.closedDuring('closed', async () => {
        await expect(list()).rejects.toMatchObject({
          status: 409,
          message: 'The account is being changed. Try again in a moment.',
        })
        expect(findProcesses(({ commandLine }) => commandLine.endsWith(` ${home}`))).toEqual([])
      })
      expect((await list()).data).toEqual([])
      const failing = pool.closedDuring('closed', () => Promise.reject(new Error('not ended')))
      await expect(failing).rejects.toThrow('not ended')
      expect((await list()).data).toEqual([])
    } finally {
      await pool.endAll()
    }
  })
})

describe("an account's limit of processes", () => {
  test('is waited for while the dead are counted, and is said when the living fill it', async () => {
    const loop = `i=0; while [ $i -lt ${TENANT_TASKS - 10} ]; do sleep 600 & i=$((i+1)); done; echo ready; wait`
    const args = [`--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', 'sh', '-c', loop]
    const shell = spawn('setpriv', args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
    const end = (): void => {
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
    }
    try {
      await once(shell.stdout, 'data')
      expect(countTasks(UID)).toBeGreaterThanOrEqual(TENANT_TASKS - 10)
      await expect(
        awaitTaskRoom({ username: 'full', uid: UID, limits: null }, 'node'),
      ).rejects.toMatchObject({
        status: 503,
        message: expect.stringMatching(/^Account full has \d+ processes/),
      })
    } finally {
      end()
    }
    // Their new parent, process 1, collects them when it likes.
    await awaitTaskRoom({ username: 'full', uid: UID, limits: null }, 'node')
    expect(countTasks(UID)).toBeLessThan(TENANT_TASKS - 10)
  })
})
