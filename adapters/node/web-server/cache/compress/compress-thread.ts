import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { ContentCoding } from '#edge-cache/index.ts'
import { compressBody } from './compress-body.ts'

/** From the worker to its thread. */
export interface CompressOrder {
  id: number
  body: Uint8Array
  coding: ContentCoding
}

/** From the thread; null with the reason where it failed. */
export interface CompressResult {
  id: number
  body: Uint8Array<ArrayBuffer> | null
  error: string
}

/** On Linux of this thread alone: visitors have the processor first. */
const NICENESS = 10

try {
  setPriority(NICENESS)
} catch {
  // It then works at the priority of all others.
}

parentPort?.on('message', ({ id, body, coding }: CompressOrder) => {
  let result: CompressResult
  try {
    result = { id, body: compressBody(body, coding), error: '' }
  } catch (error) {
    result = { id, body: null, error: String(error) }
  }
  parentPort?.postMessage(result, result.body === null ? [] : [result.body.buffer])
})
