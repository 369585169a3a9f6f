/* Runs texts through parsers, in a thread that can be ended in the midst of one. */
import { parentPort, workerData } from 'node:worker_threads'
import { ALL_PARSERS } from './all-parsers.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'
import { textBytes, type ParserOrder } from './run-parsers.ts'

const { from, progress } = workerData as ParserOrder
const at = new Int32Array(progress)

for (let n = from; n < ALL_PARSERS.length * HOSTILE_TEXTS.length; n++) {
  const parser = ALL_PARSERS[Math.floor(n / HOSTILE_TEXTS.length)]
  const text = HOSTILE_TEXTS[n % HOSTILE_TEXTS.length]
  if (parser === undefined || text === undefined) break
  const made = text.make(textBytes(parser))
  Atomics.store(at, 0, n)
  try {
    await parser.read(made)
  } catch {
    // Refused in time.
  }
}
parentPort?.postMessage('done')
