import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { unixFetch } from '#adapters/node/process/unix-fetch.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import type { RunAs } from '#adapters/node/process/as-user.ts'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import type { Ambient } from '#handlers/ports/judge.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { COMPILED_SOURCES } from '../compiled-sources.ts'

const ENTRY = resolve(import.meta.dirname, '../../../adapters/node/bin/agent.ts')

/** A configuration in a directory of its own, and agents started on it as `who` (default: as we are). */
export const createAgentInstance = async (who: RunAs | null = null) => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-agentd-'))
  await chmod(directory, 0o711)
  const at = (...names: string[]): string => join(directory, ...names)
  for (const name of ['state', 'home', 'run', 'log']) {
    await mkdir(at(name), { mode: 0o755 })
    if (who) await chown(at(name), who.uid, who.gid)
  }
  await writeFile(
    at('berth.toml'),
    `[paths]
state_dir = "${at('state')}"
home_base = "${at('home')}"
run_dir = "${at('run')}"
log_dir = "${at('log')}"
[databases]
mariadb = "off"
postgresql = "off"
`,
  )
  const running = new Set<ChildProcess>()

  /** Starts the agent; resolves with what it says first. */
  const start = async (): Promise<{
    child: ChildProcess
    said: { type: string; message?: string }
    stderr(): string
  }> => {
    const command = asUser(who, process.execPath, [ENTRY, '--config', at('berth.toml')])
    const child = spawn(command.program, command.args, {
      cwd: '/',
      env: { ...CLEAN_ENV, BERTH_SUPERVISED: '1', NODE_COMPILE_CACHE: COMPILED_SOURCES },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    let text = ''
    child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const [said] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => [{ type: 'exited', message: text }]),
    ])) as [{ type: string; message?: string }]
    return { child, said, stderr: () => text }
  }
  return {
    at,
    start,
    client: createHostClient(unixFetch(at('run', 'agent.sock'))),
    /** What a panel with leases speaks to it by. */
    clientIn: (turns: Ambient<Turn | null>) =>
      createHostClient(unixFetch(at('run', 'agent.sock')), turns),
    ask: unixFetch(at('run', 'agent.sock')),
    askWeb: unixFetch(at('run', 'agent-web.sock')),
    dispose: async () => {
      for (const child of running) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      await rm(directory, { recursive: true, force: true })
    },
  }
}
export type AgentInstance = Awaited<ReturnType<typeof createAgentInstance>>

/** SIGKILL, and gone. */
export const killHard = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL')
  await once(child, 'exit')
}
