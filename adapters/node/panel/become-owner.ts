import { statSync } from 'node:fs'

/**
 * Makes this process run as the owner of a directory, so that what it makes
 * there is the owner's too. Throws for a user who is neither root nor the owner.
 */
export const becomeOwner = (directory: string): void => {
  let owner: { uid: number; gid: number }
  try {
    owner = statSync(directory)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    throw new Error(
      code === 'EACCES'
        ? `${directory} may not be entered by this user. Run the command as root, or as the user who started Berth.`
        : `There is no ${directory}: Berth has not run with this configuration yet. Start it with npm start, or name its configuration with --config.`,
      { cause: error },
    )
  }
  const uid = process.getuid?.()
  if (uid === owner.uid) return
  if (uid !== 0) {
    throw new Error(
      `${directory} belongs to another user. Run the command as root, or as the user who started Berth.`,
    )
  }
  process.setgroups?.([])
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
}
