import { setTimeout } from 'node:timers/promises'
import type { Side } from '../findings/compare.ts'
import { verifyResponse } from './verify-response.ts'

const TIMEOUT_MS = 15_000
const AGAIN_MS = 100

/** Asks each side until it answers as expected: pages are stored, codings made. Rejects with the last complaint. */
export const prime = async (sides: readonly Side[], directory: string): Promise<void> => {
  for (const { name, target, expected } of sides) {
    const deadline = performance.now() + TIMEOUT_MS
    for (;;) {
      try {
        await verifyResponse(name, target, expected, directory)
        break
      } catch (error) {
        if (performance.now() > deadline) throw error
        await setTimeout(AGAIN_MS)
      }
    }
  }
}
