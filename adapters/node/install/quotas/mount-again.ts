import { mustRun } from '../../process/run-command.ts'

/** Options that take back those of a file system that counts in a file. */
export const WITHOUT_FILE = ['usrjquota=', 'noquota']

/** Gives a mounted file system other options; throws where it does not take them. */
export const mountAgain = async (place: string, options: readonly string[]): Promise<void> => {
  await mustRun('/usr/bin/mount', ['-o', `remount,${options.join(',')}`, '--', place])
}
