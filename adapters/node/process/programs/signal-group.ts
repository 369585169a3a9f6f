import type { ChildProcess } from 'node:child_process'

/** Signals a child that was started `detached`, with all of its group, whose number is not given away while any of it lives. */
export const signalGroup = ({ pid }: Pick<ChildProcess, 'pid'>, name: NodeJS.Signals): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // All of it has ended.
  }
}
