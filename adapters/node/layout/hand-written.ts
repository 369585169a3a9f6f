import { basename, dirname } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'

type Included = Pick<ServerConfig, 'include' | 'paths'>

/** Whether the configuration takes up a file as one of virtual hosts by hand; generated ones are none. */
export const isIncluded = ({ include, paths }: Included, file: string): boolean => {
  if (dirname(file) === paths.vhosts_dir || dirname(file) !== dirname(include)) return false
  const [before = '', after] = basename(include).split('*')
  const name = basename(file)
  if (after === undefined) return name === before
  return (
    !name.startsWith('.') &&
    name.length >= before.length + after.length &&
    name.startsWith(before) &&
    name.endsWith(after)
  )
}
