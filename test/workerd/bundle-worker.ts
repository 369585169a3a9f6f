import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

let bundle: Promise<string> | null = null

/** The Worker as one module of text, built once per test file. */
export const bundleWorker = (): Promise<string> => {
  bundle ??= build({
    entryPoints: [fileURLToPath(new URL('../../adapters/worker/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers'],
  }).then((result) => {
    const [file] = result.outputFiles
    if (file === undefined) throw new Error('esbuild made no output')
    return file.text
  })
  return bundle
}
