import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '#test/support/free-ports.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'

export const PASSWORD = 'pass/w@rd,1'

export interface RedisServer {
  directory: string
  socket: string
  port: number
  /** `redis_url` by address. */
  url: string
  /** Runs redis-cli and answers what it prints. */
  cli(...command: string[]): Promise<string>
  start(): Promise<void>
  /** Kills it; what it held is lost. */
  stop(): Promise<void>
  signal(signal: NodeJS.Signals): void
  remove(): Promise<void>
}

export interface RedisOptions {
  /** Asks for `PASSWORD`; default true. */
  password?: boolean
  /** Of the socket; default 700. */
  socketMode?: string
  more?: string[]
}

/** A private redis-server on a port and a socket that keeps nothing over a restart. */
export const startRedis = async (options: RedisOptions = {}): Promise<RedisServer> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-redis-'))
  chmodSync(directory, 0o755)
  const socket = join(directory, 'redis.sock')
  const [port = 0] = await freePorts(1)
  const asks = options.password !== false
  let child: ChildProcess | null = null
  let ended: Promise<unknown> = Promise.resolve()

  const cli = async (...command: string[]): Promise<string> => {
    const login = asks ? ['--no-auth-warning', '-a', PASSWORD] : []
    const { stdout } = await runCommand('/usr/bin/redis-cli', ['-s', socket, ...login, ...command])
    return stdout.trim()
  }
  const start = async (): Promise<void> => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory]
    args.push('--unixsocket', socket, '--unixsocketperm', options.socketMode ?? '700')
    args.push('--save', '', '--appendonly', 'no', ...(options.more ?? []))
    if (asks) args.push('--requirepass', PASSWORD)
    const started = spawn('/usr/bin/redis-server', args, { stdio: 'ignore' })
    child = started
    ended = new Promise((resolve) => started.on('exit', resolve))
    await eventually('redis-server answers', async () => {
      const answer = await cli('ping').catch(() => '')
      return answer === 'PONG'
    })
  }
  const stop = async (): Promise<void> => {
    child?.kill('SIGKILL')
    await ended
    child = null
  }
  try {
    await start()
  } catch (error) {
    await stop()
    rmSync(directory, { recursive: true, force: true })
    throw error
  }
  const login = asks ? `:${encodeURIComponent(PASSWORD)}@` : ''
  return {
    directory,
    socket,
    port,
    url: `redis://${login}127.0.0.1:${port}`,
    cli,
    start,
    stop,
    signal: (signal) => void child?.kill(signal),
    remove: async () => {
      await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
