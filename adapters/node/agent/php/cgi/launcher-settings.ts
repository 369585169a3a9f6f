import { readFileSync } from 'node:fs'
import { z } from 'zod'

const schema = z.strictObject({
  program: z.string(),
  args: z.array(z.string()),
  maxChildren: z.int().min(1),
  timeoutMs: z.int().min(1),
})

/** What a launcher is told, in its configuration file; nothing in it is secret. */
export interface LauncherSettings {
  /** The php-cgi binary. */
  program: string
  /** Its options. The script comes by `SCRIPT_FILENAME`. */
  args: string[]
  /** Requests at a time; more wait. */
  maxChildren: number
  /** Milliseconds after which a php-cgi is killed. */
  timeoutMs: number
}

/** Reads the file that the agent wrote; throws when it is another's. */
export const readLauncherSettings = (file: string): LauncherSettings =>
  schema.parse(JSON.parse(readFileSync(file, 'utf8')))
