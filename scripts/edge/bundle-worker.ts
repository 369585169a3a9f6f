import { build } from 'esbuild'

/** A Worker as one module of text, bundled as wrangler bundles it. */
export const bundleWorker = async (entry: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers', 'node:async_hooks'],
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error('esbuild made no output')
  return file.text
}
