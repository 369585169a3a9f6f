import { spawn } from 'node:child_process'
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { identifyProcess } from '#adapters/node/process/process-identity.ts'
import { createSystemctl } from '#adapters/node/service/systemctl.ts'
import { OldServerControl } from '#adapters/node/swap/old-server-control.ts'
import type { OldServer } from '#adapters/node/swap/swap-types.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

let dir: string
beforeEach(() => {
  dir = temporaryDirectory('bw-')
  chmodSync(dir, 0o755)
})

test('a server of systemd is ended, started and remembered through its unit', async () => {
  const [port = 0] = await freePorts(1)
  const script = join(dir, 'listen.mjs')
  writeFileSync(
    script,
    `import { createServer } from 'node:http'\ncreateServer().listen(${port}, '127.0.0.1')\n`,
  )
  const child = spawn(process.execPath, [script], { stdio: 'ignore' })
  try {
    await untilListening(port, 10_000)
    const pid = child.pid ?? 0
    // Stands in for systemctl: keeps what it was asked, and ends the process on stop.
    const program = join(dir, 'systemctl')
    writeFileSync(
      program,
      `#!/bin/sh\nprintf '%s\\n' "$*" >> ${dir}/calls\ncase "$*" in *" stop old.service") kill ${pid} ;; *" start old.service") ${process.execPath} ${script} >/dev/null 2>&1 & echo $! > ${dir}/new.pid ;; esac\n`,
      { mode: 0o755 },
    )
    const identity = identifyProcess(pid)
    if (identity === null) throw new Error('it has ended')
    const own = join(dir, 'never-run')
    copyFileSync('/bin/false', own)
    const server: OldServer = {
      kind: 'nginx',
      program: own,
      process: identity,
      startArgs: [],
      configArgs: [],
      env: {},
      configFile: join(dir, 'nginx.conf'),
      base: dir,
      listening: [{ address: '127.0.0.1', port }],
      unit: 'old.service',
      foreground: true,
    }
    const control = new OldServerControl(server, createSystemctl(program))
    expect(await control.isEnabled()).toBe(true)
    await control.setEnabled(false)
    await control.stop()
    expect(identifyProcess(pid)).toBeNull()
    await control.start()
    await control.setEnabled(true)
    const calls = readFileSync(join(dir, 'calls'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.replace('--no-ask-password --no-pager ', ''))
    expect(calls).toEqual([
      'is-enabled --quiet old.service',
      'disable old.service',
      'stop old.service',
      'start old.service',
      'enable old.service',
    ])
    process.kill(Number(readFileSync(join(dir, 'new.pid'), 'utf8')))
    // Without systemd there is no unit to speak of.
    const plain = new OldServerControl({ ...server, unit: null }, createSystemctl(program))
    expect(await plain.isEnabled()).toBeNull()
    await expect(plain.test()).rejects.toThrow('could not be started again')
  } finally {
    child.kill('SIGKILL')
  }
})
