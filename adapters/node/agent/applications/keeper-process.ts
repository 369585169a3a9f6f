import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asUser } from '../../process/as-user.ts'
import type { ProgramLimits, RunAs } from '../../process/as-user.ts'
import { CLEAN_ENV } from '../../process/clean-env.ts'
import { isSameProcessAlive } from '../../process/process-identity.ts'
import type { ProcessIdentity } from '../../process/process-identity.ts'
import { endProcess } from '../host/end-process.ts'
import { readProcess } from '../host/process-facts.ts'
import { lendListeningSocket } from '../php/masters/listening-socket.ts'
import { keeperAnswer, MOST_MESSAGE_BYTES } from './keeper/keeper-messages.ts'
import type { KeeperAnswer, KeeperPlan, KeeperQuestion } from './keeper/keeper-messages.ts'

const ENTRY = fileURLToPath(new URL('../../bin/app-keeper.ts', import.meta.url))
/** It passes bytes on at most; its threads count towards the account's processes. */
const NODE_ARGS = [
  '--max-old-space-size=48',
  '--v8-pool-size=1',
  '--disable-warning=ExperimentalWarning',
]
/** More than a question for the end of a start waits. */
const ANSWER_LIMIT_MS = 25_000

/** A keeper of ours, of this agent or of one before it. */
export interface KeeperProcess extends ProcessIdentity {
  /** Unix socket at which it answers, in a directory of root's. */
  control: string
}

/** What a keeper is started with. */
export interface KeeperStart {
  control: string
  plan: KeeperPlan
  /** Null: the current user (rootless mode). */
  runAs: RunAs | null
  home: string
  limits: ProgramLimits | 'own'
  /** Words of root's by which what it starts ends with it. */
  before: readonly string[]
  first: readonly string[]
  /** Of the account's group, where it is held by itself. */
  part: string | undefined
}

/**
 * Starts a keeper as the account. It outlives us, and Ctrl+C does not reach it. Nobody else can
 * ask it anything: its socket lies in a directory of root's, and it gets the descriptor.
 */
export const startKeeper = (start: KeeperStart): KeeperProcess => {
  const { control, plan, runAs, limits } = start
  const [program = '', ...words] = [...start.first, process.execPath]
  const line = asUser(runAs, program, [...words, ...NODE_ARGS, ENTRY, basename(control)], {
    // Node maps far more than it uses; memory is held by the account's group.
    limited: limits === 'own' ? 'own' : { ...limits, memoryMb: null },
    workingDirectory: start.home,
    before: start.before,
    part: start.part,
  })
  const child = lendListeningSocket(control, { owner: null, mode: 0o600 }, (fd) =>
    spawn(line.program, line.args, {
      cwd: runAs === null ? start.home : '/',
      detached: true,
      env: { ...CLEAN_ENV, HOME: start.home, UV_THREADPOOL_SIZE: '1' },
      stdio: ['pipe', 'ignore', 'ignore', fd],
    }),
  )
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(JSON.stringify(plan))
  child.unref()
  const facts = child.pid === undefined ? null : readProcess(child.pid)
  return { pid: child.pid ?? 0, startTicks: facts?.startTicks ?? 0, control }
}

/**
 * Asks a keeper. It runs as the account, who may have changed it: what it says is bounded and
 * checked. Rejects where there is no answer within 25 s, or within `limitMs`.
 */
export const askKeeper = (
  { control }: Pick<KeeperProcess, 'control'>,
  question: KeeperQuestion,
  limitMs = ANSWER_LIMIT_MS,
): Promise<KeeperAnswer> =>
  new Promise((resolve, reject) => {
    const socket = connect(control)
    let text = ''
    const timer = setTimeout(() => socket.destroy(new Error('the keeper does not answer')), limitMs)
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.length > MOST_MESSAGE_BYTES) socket.destroy(new Error('the keeper says too much'))
    })
    socket.on('error', reject)
    socket.on('close', () => {
      clearTimeout(timer)
      try {
        resolve(keeperAnswer.parse(JSON.parse(text)))
      } catch (error) {
        reject(new Error('the keeper does not answer as it should', { cause: error }))
      }
    })
    socket.write(`${JSON.stringify(question)}\n`)
  })

/** Ends a keeper with its application: as it is asked to, else by force. */
export const endKeeper = async (keeper: KeeperProcess, graceMs: number): Promise<void> => {
  if (isSameProcessAlive(keeper))
    await askKeeper(keeper, { ask: 'end', graceMs }, graceMs + ANSWER_LIMIT_MS).catch(
      () => undefined,
    )
  await endProcess(keeper, 'SIGTERM', 1000)
}
