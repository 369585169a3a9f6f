import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { CLEAN_ENV } from '../../process/clean-env.ts'
import { compileCacheEnv } from '../../process/compile-cache-env.ts'
import { storeAnswerSchema, type StoreAnswer, type StoreOrder } from './store-order.ts'

const PROGRAM = join(import.meta.dirname, '../../bin/store.ts')
const MOST_ERROR = 4000

/**
 * Has an order for a store on PostgreSQL carried out by a process of the panel's user; answers its
 * last line. Rejects with what the process complains of.
 */
export const orderStore = async (
  order: StoreOrder,
  tell: (progress: Extract<StoreAnswer, { kind: 'progress' }>) => void = () => undefined,
): Promise<Exclude<StoreAnswer, { kind: 'progress' }>> => {
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: '/',
    env: { ...CLEAN_ENV, ...compileCacheEnv() },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, MOST_ERROR)
  })
  // It may have ended before it read, with a reason of its own.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(order))
  let last: Exclude<StoreAnswer, { kind: 'progress' }> | null = null
  for await (const line of createInterface({ input: child.stdout })) {
    const answer = storeAnswerSchema.parse(JSON.parse(line))
    if (answer.kind === 'progress') tell(answer)
    else last = answer
  }
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null]
  if (code !== 0 || last === null)
    throw new Error(complaint.trim() || `The copy of the store was ended by ${signal ?? code}.`)
  return last
}
