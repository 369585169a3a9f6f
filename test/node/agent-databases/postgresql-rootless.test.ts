import { chown, mkdir } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { endProcess } from '#adapters/node/agent/host/end-process.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

const NOBODY = { uid: 65534, gid: 65534, groups: 'none' } as const

it('serves PostgreSQL as the one user of rootless mode', async () => {
  const directory = temporaryDirectory('br-')
  const paths = {
    state_dir: `${directory}/state`,
    run_dir: `${directory}/run`,
    log_dir: `${directory}/log`,
  }
  try {
    await chown(directory, NOBODY.uid, NOBODY.gid)
    for (const each of Object.values(paths)) {
      await mkdir(each)
      await chown(each, NOBODY.uid, NOBODY.gid)
    }
    const script = new URL('./rootless-postgresql.ts', import.meta.url).pathname
    const { program, args } = asUser(NOBODY, process.execPath, [script, JSON.stringify(paths)])
    const { stdout } = await mustRun(program, args, { timeoutMs: 100_000 })
    expect(JSON.parse(stdout)).toEqual({
      host: `${paths.run_dir}/postgresql`,
      exists: true,
      gone: true,
    })
    expect(findProcesses(({ commandLine }) => commandLine.includes(directory))).toEqual([])
  } finally {
    for (const left of findProcesses(({ commandLine }) => commandLine.includes(directory)))
      await endProcess(left, 'SIGINT', 5_000)
  }
})
