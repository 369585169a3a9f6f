import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConfigProblem } from '#handlers/domain/config/config-types.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { problemAt } from '#handlers/domain/config/problems.ts'
import { findPortHolder } from '../../process/ports/port-holder.ts'
import { isSameProcessAlive, readIdentityFile } from '../../process/process-identity.ts'
import type { PlacedConfig } from '../config-loader.ts'

/** The parent of a process; 0 when it is gone. */
const parentOf = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}

const descendsFrom = (pid: number, ancestor: number): boolean => {
  for (let at = pid; at > 1; at = parentOf(at)) if (at === ancestor) return true
  return false
}

/** Ports of the configuration that programs other than this configuration's Berth listen on. */
export const portSuspicions = ({ config, main }: PlacedConfig): ConfigProblem[] => {
  const supervisor = readIdentityFile(join(config.paths.run_dir, 'supervisor.pid'))
  const own = supervisor !== null && isSameProcessAlive(supervisor) ? supervisor.pid : null
  const lists = [
    [['panel', 'listen'], config.panel.listen],
    [['server', 'listen'], config.server.listen],
    [['server', 'listen_ssl'], config.server.listen_ssl],
    [['server', 'front_listen'], config.server.front_listen],
    [['api', 'listen'], config.api.listen],
  ] as const
  const seen = new Set<number>()
  return lists.flatMap(([key, addresses]) =>
    addresses.flatMap((address): ConfigProblem[] => {
      const port = parseListenAddress(address)?.port ?? 0
      if (port === 0 || seen.has(port)) return []
      seen.add(port)
      const holder = findPortHolder(port)
      if (holder === null) return []
      if (own !== null && (holder.pid === null || descendsFrom(holder.pid, own))) return []
      const message = `port ${port} is in use by ${holder.text}. Stop it, or choose another port.`
      return [problemAt(main.place, key, message)]
    }),
  )
}
