import { chmod, chown, copyFile, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { detectPhp } from '#adapters/node/machine/find-php.ts'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { randomAccountName } from './host-fixture.ts'

it('runs PHP and MariaDB as a normal user, and sites reach their database', async () => {
  const username = randomAccountName()
  const directory = await mkdtemp(`${os.tmpdir()}/bh-`)
  try {
    await mustRun('useradd', ['--no-create-home', '--home-dir', directory, '--', username])
    const uid = Number((await mustRun('id', ['-u', '--', username])).stdout)
    const gid = Number((await mustRun('id', ['-g', '--', username])).stdout)
    await chown(directory, uid, gid)
    // The checkout may lie where a normal user cannot read it.
    await copyFile(process.execPath, `${directory}/node`)
    await chmod(`${directory}/node`, 0o755)
    await build({
      entryPoints: [new URL('./rootless-agent.ts', import.meta.url).pathname],
      outfile: `${directory}/agent.mjs`,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: {
        js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
      },
      logLevel: 'error',
    })
    const php = (await detectPhp()).find(({ binaries }) => binaries.fpm !== undefined)
    const { program, args } = asUser({ uid, gid, groups: 'none' }, `${directory}/node`, [
      `${directory}/agent.mjs`,
      directory,
      php?.version ?? '',
    ])
    const result = await runCommand(program, args)
    expect(result.stderr).toBe('')
    expect(JSON.parse(result.stdout)).toEqual([uid, 'alice_db@localhost', 'alice_db'])
    expect(findProcesses((facts) => facts.uid === uid)).toEqual([])
  } finally {
    await runCommand('pkill', ['-KILL', '-u', username])
    await runCommand('userdel', ['--force', '--', username])
    await rm(directory, { recursive: true, force: true })
  }
})
