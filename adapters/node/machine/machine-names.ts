import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** The machine's host name, and what `/etc/hosts` makes of it in full. */
export const machineNames = (): string[] => {
  const name = hostname()
  try {
    const words = readFileSync('/etc/hosts', 'utf8').replace(/#.*/g, '').split(/\s+/)
    return [name, ...words.filter((word) => word.startsWith(`${name}.`))]
  } catch {
    return [name]
  }
}
