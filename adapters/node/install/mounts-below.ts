import { readFileSync } from 'node:fs'

/** mountinfo escapes blanks and backslashes, proc(5). */
const plain = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)))

/** Where something is mounted below a directory: who removes that tree would remove what is mounted. */
export const mountsBelow = (directory: string): string[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map(plain)
    .filter((path) => path.startsWith(`${directory}/`))
