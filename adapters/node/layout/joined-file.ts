import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Made by `berth panel join`: the panel's machine is not host 0. */
export const joinedFile = (stateDir: string): string => join(stateDir, 'panel', 'joined')

/** Whether this panel joined others, on whose machine host 0 is. */
export const isElsewhere = (stateDir: string): boolean => existsSync(joinedFile(stateDir))
