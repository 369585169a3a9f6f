import type { ConfigProblem } from './config-types.ts'

/** One line for people, e.g. `/etc/berth/berth.toml:12: cache.memory_limit is not a size. …`. */
export const describeProblem = ({ file, line, key, message }: ConfigProblem): string =>
  `${file}${line === 0 ? '' : `:${line}`}: ${key === '' ? '' : `${key} `}${message}`
