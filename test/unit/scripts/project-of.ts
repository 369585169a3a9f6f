import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

/** A directory with these files, for scripts that look at a whole project. */
export const projectOf = (files: Record<string, string>): string => {
  const root = temporaryDirectory('berth-project-')
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return root
}
