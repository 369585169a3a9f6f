import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { AppError, conflict, unavailable } from '#handlers/errors.ts'
import type { FailureStatus } from '#handlers/errors.ts'
import { asUser } from '../../process/as-user.ts'
import { CLEAN_ENV } from '../../process/clean-env.ts'
import { createFrameReader, encodeFrame } from './frames.ts'
import type { Frame } from './frames.ts'
import { HELPER_ANSWERS, responseHeader } from './helper-messages.ts'
import type { HelperAnswer, HelperRequest } from './helper-messages.ts'

/** What is told to whoever asks while the account's processes are ended. */
export const accountIsChanging = () =>
  conflict('The account is being changed. Try again in a moment.')

const ENTRY = fileURLToPath(new URL('../../bin/files-helper.ts', import.meta.url))
/** A file of 64 MiB, or a listing of 20000 entries, and some. */
const MAX_ANSWER_BYTES = 72 * 2 ** 20

/** Whom a helper works for. */
export interface HelperAccount {
  username: string
  uid: number
  gid: number
  home: string
}

/** The helper refused because of the quota; the caller may count again. */
export class QuotaError extends AppError {}

export interface HelperProcess {
  ask<R extends HelperRequest>(
    request: R,
    options: { body?: Uint8Array; timeoutMs: number },
  ): Promise<{ data: HelperAnswer<R['op']>; body: Buffer }>
  /** Kills it; resolves when it is gone. */
  end(): Promise<void>
  readonly pending: number
  /** It is of no use any more: killed, distrusted, or ended by itself. */
  readonly ended: boolean
  /** Its process has exited. */
  readonly gone: boolean
}

interface Waiting {
  request: HelperRequest
  resolve(answer: { data: unknown; body: Buffer }): void
  reject(error: unknown): void
}

const TENANT_FAILURES: readonly number[] = [400, 403, 404, 409, 413]
const isTenantFailure = (status: number): status is FailureStatus =>
  TENANT_FAILURES.includes(status)

/**
 * Starts a file helper as the account's user (as ourselves when `asRoot` is
 * false). The tenant owns that process and may replace what it says: frames are
 * bounded, every response is checked against its shape, each request has a
 * timeout, and the first offence ends the helper with everything it was asked.
 * `entry` is the script to run, our own by default.
 */
export const startHelper = (
  account: HelperAccount,
  asRoot: boolean,
  entry = ENTRY,
): HelperProcess => {
  const who = asRoot ? { uid: account.uid, gid: account.gid, groups: 'none' as const } : null
  const nodeArgs = ['--max-old-space-size=192', '--disable-warning=ExperimentalWarning']
  const { program, args } = asUser(who, process.execPath, [...nodeArgs, entry, account.home], {
    dieWithParent: true,
    limited: true,
    workingDirectory: account.home,
  })
  const child = spawn(program, args, {
    cwd: account.home,
    env: { ...CLEAN_ENV, HOME: account.home },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<number, Waiting>()
  let nextId = 1
  let ended = false
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })

  const fail = (error: AppError): void => {
    ended = true
    child.kill('SIGKILL')
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const distrust = (why: string): void =>
    fail(unavailable(`The file service of account "${account.username}" ${why}. Try again.`))

  const settle = (id: number): Waiting | null => {
    const found = waiting.get(id)
    waiting.delete(id)
    return found ?? null
  }
  const onFrame = ({ header, body }: Frame): void => {
    const parsed = responseHeader.safeParse(header)
    const asked = parsed.success ? settle(parsed.data.id) : null
    if (!parsed.success || !asked) {
      distrust('answered what was not asked')
      return
    }
    const answer = parsed.data
    if (!answer.ok) {
      asked.reject(toError(answer))
      return
    }
    const data = HELPER_ANSWERS[asked.request.op].safeParse(answer.data)
    if (data.success) asked.resolve({ data: data.data, body })
    else {
      const broken = `The file service of account "${account.username}" gave a malformed answer.`
      asked.reject(unavailable(broken, data.error))
      distrust('gave a malformed answer')
    }
  }
  const read = createFrameReader(MAX_ANSWER_BYTES, onFrame)
  child.stdout.on('data', (chunk: Buffer) => {
    if (ended) return
    try {
      read(chunk)
    } catch {
      distrust('sent no proper frame')
    }
  })
  child.stdout.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  void exited.then(() => {
    if (!ended || waiting.size > 0) distrust('ended unexpectedly')
  })

  return {
    get pending() {
      return waiting.size
    },
    get ended() {
      return ended
    },
    get gone() {
      return child.exitCode !== null || child.signalCode !== null
    },
    ask: <R extends HelperRequest>(
      request: R,
      { body, timeoutMs }: { body?: Uint8Array; timeoutMs: number },
    ) =>
      new Promise<{ data: HelperAnswer<R['op']>; body: Buffer }>((resolve, reject) => {
        if (ended) {
          reject(unavailable('The file service of the account has just ended. Try again.'))
          return
        }
        const id = nextId++
        const timer = setTimeout(() => distrust('did not answer in time'), timeoutMs)
        waiting.set(id, {
          request,
          resolve: (answer) => {
            clearTimeout(timer)
            // HELPER_ANSWERS of this very operation has judged the data.
            resolve(answer as { data: HelperAnswer<R['op']>; body: Buffer })
          },
          reject: (error) => {
            clearTimeout(timer)
            reject(error)
          },
        })
        child.stdin.write(encodeFrame({ id, request }, body))
      }),
    end: async () => {
      if (!ended) fail(accountIsChanging())
      await exited
    },
  }
}

const toError = (answer: {
  status: number | null
  message: string
  reason: 'quota' | null
}): Error => {
  if (answer.status === null || !isTenantFailure(answer.status))
    return new Error(`file helper: ${answer.message}`)
  return answer.reason === 'quota'
    ? new QuotaError(answer.status, answer.message)
    : new AppError(answer.status, answer.message)
}
