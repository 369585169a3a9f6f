import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const PRODUCT = fileURLToPath(new URL('../../adapters/worker/index.ts', import.meta.url))
const bundles = new Map<string, Promise<string>>()

const bundle = async (entry: string): Promise<string> => {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers', 'node:async_hooks'],
  })
  const [file] = result.outputFiles
  if (file === undefined) throw new Error('esbuild made no output')
  return file.text
}

/** A Worker (the product's unless told otherwise) as one module of text, built once per test file. */
export const bundleWorker = (entry = PRODUCT): Promise<string> => {
  const made = bundles.get(entry) ?? bundle(entry)
  bundles.set(entry, made)
  return made
}
