import { build } from 'esbuild'

/** A bundled Worker as Miniflare takes it, which looks itself for what else such a text imports. */
export const asModule = (contents: string) => [
  { type: 'ESModule' as const, path: 'worker.mjs', contents },
]

/** A Worker as one module of text, bundled as wrangler bundles it. */
export const bundleWorker = async (entry: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    // Of packages that an import names for nothing.
    logLevel: 'error',
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers', 'node:async_hooks'],
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error('esbuild made no output')
  return file.text
}
