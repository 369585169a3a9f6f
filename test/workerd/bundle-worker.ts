import { fileURLToPath } from 'node:url'
import { bundleWorker as bundle } from '../../scripts/edge/bundle-worker.ts'

const PRODUCT = fileURLToPath(new URL('../../adapters/worker/index.ts', import.meta.url))
const bundles = new Map<string, Promise<string>>()

/** A Worker (the product's unless told otherwise) as one module of text, built once per test file. */
export const bundleWorker = (entry = PRODUCT): Promise<string> => {
  const made = bundles.get(entry) ?? bundle(entry)
  bundles.set(entry, made)
  return made
}
