import { readdirSync, readFileSync } from 'node:fs'
import { runCommand } from '#adapters/node/process/run-command.ts'

/**
 * Live processes of a uid, as `pid state command` lines. Zombies do not count:
 * PID 1 of a container may never reap what a killed parent left to it.
 */
export const processesOf = async (uid: number): Promise<string[]> =>
  (await runCommand('ps', ['-o', 'pid=,stat=,args=', '-U', String(uid)])).stdout
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^\d+\s+Z/.test(line))

/** Live children of a process, zombies left out. */
export const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return Number(ppid) === parent && state !== 'Z'
      } catch {
        return false
      }
    })
    .map(Number)
