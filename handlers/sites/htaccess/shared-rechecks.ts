import type { VirtualHostConfig } from '../../domain/config/config-types.ts'

interface Round {
  files: Set<string>
  done: Promise<void>
}

/**
 * Looks at the rules of a virtual host for several requests at once: one look is under
 * way, and whoever asks meanwhile shares the next one, which begins when that is over.
 * So each asker's look begins after he asked, however many ask. `look` may not reject.
 */
export const createSharedRechecks = (
  look: (vhost: VirtualHostConfig, files: readonly string[]) => Promise<void>,
): ((vhost: VirtualHostConfig, file: string) => Promise<void>) => {
  const running = new WeakMap<VirtualHostConfig, Promise<void>>()
  const waiting = new WeakMap<VirtualHostConfig, Round>()

  const run = (vhost: VirtualHostConfig, files: ReadonlySet<string>): Promise<void> => {
    const looking = look(vhost, [...files]).finally(() => {
      if (running.get(vhost) === looking) running.delete(vhost)
    })
    running.set(vhost, looking)
    return looking
  }
  return (vhost, file) => {
    const next = waiting.get(vhost)
    if (next) {
      next.files.add(file)
      return next.done
    }
    const files = new Set([file])
    const before = running.get(vhost)
    if (before === undefined) return run(vhost, files)
    const done = before.then(() => {
      waiting.delete(vhost)
      return run(vhost, files)
    })
    waiting.set(vhost, { files, done })
    return done
  }
}
