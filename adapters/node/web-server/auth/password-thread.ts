import { parentPort } from 'node:worker_threads'
import { checkHash } from './check-hash.ts'

/** Checks one password after the other, away from the event loop that serves sites. */
parentPort?.on('message', ({ password, hash }: { password: string; hash: string }) => {
  let matches = false
  try {
    matches = checkHash(password, hash)
  } catch {
    // A malformed hash matches nothing.
  }
  parentPort?.postMessage({ matches })
})
