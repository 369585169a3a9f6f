import { userInfo } from 'node:os'

/** Name of the system user this process runs as; its number where it has no name. */
export const ownUserName = (): string => {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}
