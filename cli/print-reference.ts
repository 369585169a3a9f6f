import { useCompileCache } from './use-compile-cache.ts'

// For the installer: manual page and completions in one go, as JSON, since each start of the
// command line reads some hundred sources.
useCompileCache()
const { buildProgram } = await import('./program.ts')
const { commandTree } = await import('./reference/command-tree.ts')
const { referenceTexts } = await import('./reference/reference-commands.ts')
process.stdout.write(JSON.stringify(referenceTexts(commandTree(buildProgram()))))
