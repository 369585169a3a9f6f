import { useCompileCache } from './use-compile-cache.ts'

// Whoever reads us may stop early, as `head` does; a full disk is a failure.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? (process.exitCode ?? 0) : 1)
  })

useCompileCache()
const { runCommandLine } = await import('./run-command-line.ts')
await runCommandLine(process.argv)
