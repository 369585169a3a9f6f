import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { countOff } from '#handlers/domain/recovery/switch-off.ts'
import { isIncluded } from './hand-written.ts'

type Config = Pick<ServerConfig, 'file' | 'hooks' | 'include' | 'paths'>

/** What came switched off with an import. */
export interface Unconfirmed {
  /** Programs that hooks would run. */
  hooks: string[]
  /** Files with virtual hosts by hand, and how many. */
  hosts: { file: string; count: number }[]
}

/** Hooks of an import lie there until they are confirmed. */
export const hooksOff = ({ hooks }: Pick<ServerConfig, 'hooks'>): string => `${hooks.directory}.off`

/** The files of a directory and what is below it, in order; none where it is no directory. */
export const filesBelow = (directory: string): string[] =>
  lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .sort()
    : []

const configFiles = (config: Config): string[] => {
  const directory = dirname(config.include)
  const included = filesBelow(directory).filter((file) => isIncluded(config, file))
  return [config.file, ...included]
}

/** What waits to be confirmed. */
export const listUnconfirmed = (config: Config): Unconfirmed => ({
  hooks: filesBelow(hooksOff(config)),
  hosts: configFiles(config).flatMap((file) => {
    const count = countOff(readFileSync(file, 'utf8'))
    return count === 0 ? [] : [{ file, count }]
  }),
})
